"""The filter of system calls, made here: numbers, rules over names, and the program of both."""
