"""The commands for whoever runs an installation."""
