"""The command line `countersign`: alone on files, or as a client of a server's API. One module per command."""
