"""The sandbox contract over processes of this host, for every extension whose programs are some.

An extension adds a :class:`~.tier.LocalTier`: how one program of its declaration is started. A
declaration needs :mod:`~.settings` alone; :class:`~.frame.LocalProvider` is for when one is built.
"""
