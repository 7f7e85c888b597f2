"""Declarations: frozen values that are checked completely before Docker hears of them."""
