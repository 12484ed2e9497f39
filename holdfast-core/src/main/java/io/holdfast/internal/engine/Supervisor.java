package io.holdfast.internal.engine;

import io.holdfast.LockHealth;
import io.holdfast.internal.lease.Tenure;
import java.util.List;
import java.util.function.Consumer;

/**
 * Looks after the tenures of an engine from above: the watchdog, which the engine knows only as
 * this. The engine reports what happens; none of these methods blocks.
 */
public interface Supervisor {
  /** A tenure is held from now on. */
  void tenureStarted(Tenure tenure);

  /** The store does not know a tenure as ours any more. */
  void tenureGone(Tenure tenure);

  /** A tenure had vanished from the store and is back; nobody held it in between. */
  void tenureResumed(Tenure tenure);

  /**
   * Asks the store whether it still knows these tenures as ours.
   *
   * @param unanswered hears of the tenures about which the store has said nothing
   */
  void prove(List<Tenure> tenures, Consumer<List<Tenure>> unanswered);

  /** Messages of the store do not reach this process. */
  void messagesLost(String why);

  /** Messages of the store arrive again. */
  void messagesBack();

  /** False if the store did not answer when it was last asked. */
  boolean storeAnswers();

  /** What it knows of the engine and its store. */
  LockHealth health();

  /** Ends its work. */
  void stop();
}
