"""Environments for learning agents: Gymnasium, one table or many at once, and PettingZoo.

Importing this makes ``pitboss/TossOne21-v0`` and ``pitboss/RollYourOwn-v0`` known to Gymnasium;
``pitboss.envs.table_v0`` is the table for PettingZoo.
"""

try:
    from gymnasium.envs.registration import register
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError("environments need the extra: pip install '.[envs]'") from missing

from pitboss.envs import table_v0
from pitboss.envs.single import RollYourOwnEnv, TableEnv, TossOne21Env
from pitboss.envs.vector import RollYourOwnVectorEnv, TablesEnv, TossOne21VectorEnv

__all__ = [
    "RollYourOwnEnv",
    "RollYourOwnVectorEnv",
    "TableEnv",
    "TablesEnv",
    "TossOne21Env",
    "TossOne21VectorEnv",
    "table_v0",
]

for name in ("TossOne21", "RollYourOwn"):
    register(
        f"pitboss/{name}-v0",
        entry_point=f"pitboss.envs:{name}Env",
        vector_entry_point=f"pitboss.envs:{name}VectorEnv",
    )
