"""Interprets what the exports for Make and Power Automate say, as far as they say it, and refuses everything else.

What the files say is thereby what is sent: the requests go to the sandbox and are compared with the runtime's.
"""
