"""What the desktop is told while the window is not in front."""
