"""The command line, run in process as a user types it."""
