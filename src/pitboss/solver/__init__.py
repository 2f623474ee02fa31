"""Exact values of blackjack hands, for any game of the 21 family.

``tables`` lists the hands of values and the dealer's hands, and ``engine`` values hands against one
up card. A game's own solver adds its starts and rules.
"""
