"""Every pixel; the only folder with QtWidgets and QtGui. Only `bootstrap` imports it."""
