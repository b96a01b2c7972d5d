"""The variables of runs, and the window as it was after one; imported by the main window."""
