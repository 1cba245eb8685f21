import core.*;
import core.actions.AbstractAction;
import players.PlayerConstants;
import players.mcts.*;

import java.io.*;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.*;

/**
 * Speed of TAG, which is asked for by lines of standard input; tag_ratio.py runs it.
 *
 * TagSpeed search GAME PLAYERS TREE ROLLOUT INFORMATION BUDGET WARM-UP
 * TagSpeed steps GAME PLAYERS WARM-UP
 *
 * After WARM-UP seconds it prints "ready". For each line with a number of seconds it searches the opening position, or
 * plays random games, until the thread has spent as much, and prints what it counted (iterations, or actions) and the
 * seconds of the thread.
 */
public class TagSpeed {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static AbstractGameState state;
    static AbstractForwardModel model;

    static void begin(String game, int players, int seed) {
        AbstractParameters p;
        switch (game) {
            case "tictactoe" -> { p = seeded(new games.tictactoe.TicTacToeGameParameters(), seed); state = new games.tictactoe.TicTacToeGameState(p, players); model = new games.tictactoe.TicTacToeForwardModel(); }
            case "dots_and_boxes" -> { p = seeded(new games.dotsboxes.DBParameters(), seed); state = new games.dotsboxes.DBGameState(p, players); model = new games.dotsboxes.DBForwardModel(); }
            case "sushi_go" -> { p = seeded(new games.sushigo.SGParameters(), seed); state = new games.sushigo.SGGameState(p, players); model = new games.sushigo.SGForwardModel(); }
            case "diamant" -> { p = seeded(new games.diamant.DiamantParameters(), seed); state = new games.diamant.DiamantGameState(p, players); model = new games.diamant.DiamantForwardModel(); }
            case "love_letter" -> { p = seeded(new games.loveletter.LoveLetterParameters(), seed); state = new games.loveletter.LoveLetterGameState(p, players); model = new games.loveletter.LoveLetterForwardModel(); }
            case "uno" -> { p = seeded(new games.uno.UnoGameParameters(), seed); state = new games.uno.UnoGameState(p, players); model = new games.uno.UnoForwardModel(); }
            case "virus" -> { p = seeded(new games.virus.VirusGameParameters(), seed); state = new games.virus.VirusGameState(p, players); model = new games.virus.VirusForwardModel(); }
            case "exploding_kittens" -> { p = seeded(new games.explodingkittens.ExplodingKittensParameters(), seed); state = new games.explodingkittens.ExplodingKittensGameState(p, players); model = new games.explodingkittens.ExplodingKittensForwardModel(); }
            case "dominion" -> { p = seeded(new games.dominion.DominionFGParameters(), seed); state = new games.dominion.DominionGameState(p, players); model = new games.dominion.DominionForwardModel(); }
            case "colt_express" -> { p = seeded(new games.coltexpress.ColtExpressParameters(), seed); state = new games.coltexpress.ColtExpressGameState(p, players); model = new games.coltexpress.ColtExpressForwardModel(); }
            case "poker" -> { p = seeded(new games.poker.PokerGameParameters(), seed); state = new games.poker.PokerGameState(p, players); model = new games.poker.PokerForwardModel(); }
            default -> throw new IllegalArgumentException(game);
        }
        model.setup(state);
    }

    static AbstractParameters seeded(AbstractParameters p, int seed) {
        p.setRandomSeed(seed);
        return p;
    }

    static MCTSPlayer player(String tree, int rollout, String information, int budget, int seed) {
        MCTSParams p = new MCTSParams();
        p.setParameterValue("budgetType", PlayerConstants.BUDGET_ITERATIONS);
        p.setParameterValue("budget", budget);
        p.setParameterValue("opponentTreePolicy", MCTSEnums.OpponentTreePolicy.valueOf(tree));
        p.setParameterValue("information", MCTSEnums.Information.valueOf(information));
        p.setParameterValue("maxTreeDepth", 30);
        p.setParameterValue("rolloutLength", rollout);
        p.setParameterValue("randomSeed", (long) seed);
        if (p.rolloutLength != rollout || p.maxTreeDepth != 30 || p.budget != budget
                || p.budgetType != PlayerConstants.BUDGET_ITERATIONS
                || p.opponentTreePolicy != MCTSEnums.OpponentTreePolicy.valueOf(tree)
                || p.information != MCTSEnums.Information.valueOf(information))
            throw new AssertionError("TAG has not taken a parameter");
        MCTSPlayer player = new MCTSPlayer(p);
        player.setForwardModel(model);
        player.setPlayerID(state.getCurrentPlayer());
        return player;
    }

    public static void main(String[] given) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err); // TAG talks
        boolean searches = given[0].equals("search");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        String line = given[given.length - 1];
        for (boolean ready = false; line != null; line = in.readLine()) {
            double seconds = Double.parseDouble(line);
            long[] found = searches ? search(given, seconds) : play(given, seconds);
            out.println(ready ? found[0] + " " + found[1] / 1e9 : "ready");
            out.flush();
            ready = true;
        }
    }

    /** Returns iterations and nanoseconds. */
    static long[] search(String[] given, double seconds) {
        int players = Integer.parseInt(given[2]), rollout = Integer.parseInt(given[4]), budget = Integer.parseInt(given[6]);
        begin(given[1], players, 42);
        for (var actions = model.computeAvailableActions(state); actions.size() < 2; // nothing to choose
             actions = model.computeAvailableActions(state))
            model.next(state, actions.get(0));
        long spent = 0, iterations = 0;
        for (int seed = 1; spent < seconds * 1e9; seed++) {
            MCTSPlayer player = player(given[3], rollout, given[5], budget, seed);
            AbstractGameState view = state.copy(state.getCurrentPlayer());
            player.initializePlayer(view);
            List<AbstractAction> choices = model.computeAvailableActions(view, player.getParameters().actionSpace);
            long from = THREADS.getCurrentThreadCpuTime();
            player.getAction(view, choices);
            spent += THREADS.getCurrentThreadCpuTime() - from;
            iterations += budget;
        }
        return new long[]{iterations, spent};
    }

    static final Random dice = new Random(1);
    static int games = 0;

    /** Returns actions and nanoseconds; setting up a game counts. */
    static long[] play(String[] given, double seconds) {
        long from = THREADS.getCurrentThreadCpuTime(), spent = 0, steps = 0;
        while (spent < seconds * 1e9) {
            begin(given[1], Integer.parseInt(given[2]), ++games);
            while (state.isNotTerminal()) {
                List<AbstractAction> legal = model.computeAvailableActions(state);
                model.next(state, legal.get(dice.nextInt(legal.size())));
                steps++;
            }
            spent = THREADS.getCurrentThreadCpuTime() - from;
        }
        return new long[]{steps, spent};
    }
}
