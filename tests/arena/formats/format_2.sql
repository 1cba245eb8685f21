-- A store of format 2, as `sqlite3 STORE .dump` writes it.
PRAGMA application_id = 1835234419;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE failures (
    number INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    players INTEGER NOT NULL,
    budget TEXT NOT NULL,
    round INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    seats TEXT NOT NULL,
    error TEXT NOT NULL,
    details TEXT NOT NULL,
    ended TEXT NOT NULL
);
INSERT INTO "failures" VALUES(4,'tictactoe',2,'',3,536405828694118,'[["b", "{\"agent\": \"mcts\", \"simulations\": 5}"], ["a", "{\"agent\": \"random\"}"]]','RuntimeError: out of ideas','Traceback','2026-11-22T06:29:26+00:00');
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    players INTEGER NOT NULL,
    budget TEXT NOT NULL,
    round INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    moves TEXT NOT NULL,
    decisions INTEGER NOT NULL,
    seconds REAL NOT NULL,
    version TEXT NOT NULL,
    ended TEXT NOT NULL,
    UNIQUE (game, players, budget, round)
);
INSERT INTO "games" VALUES(1,'tictactoe',2,'',0,5489809872928692,'[[0,7],[1,5],[0,6],[1,1],[0,3],[1,8],[0,2],[1,0],[0,4]]',9,0.0600023830002101,'0.1.0','2026-11-22T06:29:26+00:00');
INSERT INTO "games" VALUES(2,'tictactoe',2,'',1,270798372596698,'[[0,6],[1,2],[0,4],[1,7],[0,3],[1,1],[0,5]]',7,1.08385799999268783722e-02,'0.1.0','2026-11-22T06:29:26+00:00');
INSERT INTO "games" VALUES(3,'tictactoe',2,'',2,7691784878635858,'[[0,6],[1,0],[0,8],[1,2],[0,1],[1,7],[0,5],[1,3],[0,4]]',9,1.08447290003823582082e-02,'0.1.0','2026-11-22T06:29:26+00:00');
CREATE TABLE seats (
    number INTEGER NOT NULL REFERENCES games,
    seat INTEGER NOT NULL,
    agent TEXT NOT NULL,
    spec TEXT NOT NULL,
    seed INTEGER NOT NULL,
    result TEXT NOT NULL,
    win REAL NOT NULL,
    rank REAL NOT NULL,
    score REAL NOT NULL,
    decisions INTEGER NOT NULL,
    seconds REAL NOT NULL,
    simulations INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    depth REAL NOT NULL,
    decision_seconds BLOB NOT NULL,
    team INTEGER NOT NULL,
    PRIMARY KEY (number, seat)
) WITHOUT ROWID;
INSERT INTO "seats" VALUES(1,0,'a','{"agent": "random"}',1442526548,'won',1.0,1.0,1.0,5,2.50970002525718882679e-04,0,0,0.0,X'3FA1003904F73F38AAFAF53762C0D937EE96E437',0);
INSERT INTO "seats" VALUES(1,1,'b','{"agent": "mcts", "simulations": 5}',1400117385,'lost',0.0,2.0,-1.0,4,1.87667104182764887809e-03,19,4,1.0,X'F39E933AC81C9139C54480395A1A7039',1);
INSERT INTO "seats" VALUES(2,0,'b','{"agent": "mcts", "simulations": 5}',1760199695,'won',1.0,1.0,1.0,4,1.00725772208534181118e-02,16,4,0.75,X'2D5A803A1B9587393B420B3C3FA9AF39',0);
INSERT INTO "seats" VALUES(2,1,'a','{"agent": "random"}',1031752091,'lost',0.0,2.0,-1.0,3,1.41659998917020857334e-04,0,0,0.0,X'6ED54E38E48BF33772C78438',1);
INSERT INTO "seats" VALUES(3,0,'a','{"agent": "random"}',2494235433,'drawn',0.5,1.5,0.5,5,2.07696997676976025104e-04,0,0,0.0,X'B2345E389CD01D38E8AAD937A40C79388E3D0538',0);
INSERT INTO "seats" VALUES(3,1,'b','{"agent": "mcts", "simulations": 5}',2246569509,'drawn',0.5,1.5,0.5,4,9.93945018853992223739e-03,19,4,1.0,X'61A9673AA6B5803941A50A3CE471B639',1);
CREATE TABLE tournament (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    description TEXT NOT NULL,
    total INTEGER NOT NULL
);
INSERT INTO "tournament" VALUES(1,'{"games": [{"game": "tictactoe", "players": [], "search": {}}], "agents": {"a": {"agent": "random"}, "b": {"agent": "mcts", "simulations": 5}}, "field": null, "budgets": [], "design": "round-robin", "games_each": 4, "seed": 0}',4);
COMMIT;
