"""`mcts-agents ui`, where it cannot begin."""

import socket


def test_a_port_that_is_taken_gets_one_clear_line(run_here):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_here("ui", "--port", str(port))
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"mcts-agents: 127.0.0.1, port {port}: ")
    assert line.endswith("; choose another one with --host and --port")
