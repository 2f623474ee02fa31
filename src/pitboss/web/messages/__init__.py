"""The messages of the HTTP API and the WebSocket, exactly as they are sent.

Incoming messages are strict: numbers must be numbers, and an unknown field is an error.
"""

from pitboss.web.messages.base import *  # noqa: F403
from pitboss.web.messages.coach import *  # noqa: F403
from pitboss.web.messages.lessons import *  # noqa: F403
from pitboss.web.messages.live import *  # noqa: F403
from pitboss.web.messages.operator import *  # noqa: F403
from pitboss.web.messages.players import *  # noqa: F403
from pitboss.web.messages.rounds import *  # noqa: F403
from pitboss.web.messages.tables import *  # noqa: F403
