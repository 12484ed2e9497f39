package io.holdfast.redis.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.loop.WatchPolicy.Watcher;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each decision about the watch as a table. */
class WatchPolicyTest {
  @ParameterizedTest
  @CsvSource(
      useHeadersInDisplayName = true,
      textBlock =
          """
          time left in us, virtual thread, may watch
                   1000000,          false,      true
                      2000,          false,      true
                      1999,          false,     false
                   1000000,           true,     false
          """)
  void aCallerMayWatchIfTheSelectorCanCountItsTime(long micros, boolean virtual, boolean may) {
    assertThat(WatchPolicy.mayWatch(nanos(micros), virtual)).isEqualTo(may);
  }

  @ParameterizedTest
  @CsvSource(
      useHeadersInDisplayName = true,
      textBlock =
          """
          next in line, parked callers,     watcher, may ask
                  true,              1, LOOP_THREAD,    true
                 false,              1, LOOP_THREAD,   false
                  true,              2, LOOP_THREAD,   false
                  true,              1,      CALLER,   false
                  true,              1,      NOBODY,   false
          """)
  void aLonelyCallerMayAskTheLoopThreadForTheWatch(
      boolean next, int parked, Watcher watcher, boolean may) {
    assertThat(WatchPolicy.mayAsk(next, parked, watcher)).isEqualTo(may);
  }

  @ParameterizedTest
  @CsvSource(
      useHeadersInDisplayName = true,
      textBlock =
          """
          before, us since the last call,     watcher, parked callers, solo calls
               0,                    999, LOOP_THREAD,              1,          1
               3,                      0, LOOP_THREAD,              1,          4
               3,                   1000, LOOP_THREAD,              1,          0
             -64,                     10, LOOP_THREAD,              1,        -63
               3,                     10, LOOP_THREAD,              2,        -64
               3,                     10,      CALLER,              1,        -64
               3,                     10,      NOBODY,              1,        -64
          """)
  void callsCountThatComeAloneAndSoon(
      int before, long micros, Watcher watcher, int parked, int after) {
    assertThat(WatchPolicy.soloCalls(before, nanos(micros), watcher, parked)).isEqualTo(after);
  }

  @ParameterizedTest
  @CsvSource(
      useHeadersInDisplayName = true,
      textBlock =
          """
          asked, solo calls, leaves
          false,          3,  false
          false,          4,   true
           true,        -64,   true
          false,        -64,  false
          """)
  void theLoopThreadLeavesForACallerThatAsksOrCallsAgainAndAgain(
      boolean asked, int soloCalls, boolean leaves) {
    assertThat(WatchPolicy.loopThreadLeaves(asked, soloCalls)).isEqualTo(leaves);
  }

  @ParameterizedTest
  @CsvSource(
      useHeadersInDisplayName = true,
      textBlock =
          """
          parked callers, passes on
                       0,     false
                       1,      true
                       2,     false
          """)
  void aCallerPassesTheWatchOnToASingleOther(int parked, boolean passesOn) {
    assertThat(WatchPolicy.passesOn(parked)).isEqualTo(passesOn);
  }

  @ParameterizedTest
  @CsvSource(
      useHeadersInDisplayName = true,
      textBlock =
          """
          parked callers, asleep, closed, needed
                       0,  false,  false,  false
                       1,  false,  false,   true
                       0,   true,  false,   true
                       0,  false,   true,   true
          """)
  void aFreeWatchNeedsTheLoopThreadUnlessItGlancesAndNobodyIsParked(
      int parked, boolean asleep, boolean closed, boolean needed) {
    assertThat(WatchPolicy.needsLoopThread(parked, asleep, closed)).isEqualTo(needed);
  }

  @ParameterizedTest
  @CsvSource(
      useHeadersInDisplayName = true,
      textBlock =
          """
              watcher, parked callers, us
               NOBODY,              0,  400
               CALLER,              0, 1000
               CALLER,              1,   50
               NOBODY,              2,   50
          """)
  void theLoopThreadGlancesMoreOftenWhileACallerIsParked(Watcher watcher, int parked, long micros) {
    assertThat(WatchPolicy.untilNextGlance(watcher, parked)).isEqualTo(nanos(micros));
  }

  @ParameterizedTest
  @CsvSource(
      useHeadersInDisplayName = true,
      textBlock =
          """
          idle glances before, used since, watcher, stays away
                            0,       true,  NOBODY,       true
                            0,       true,  CALLER,       true
                            7,       true,  NOBODY,       true
                            0,      false,  NOBODY,      false
                            0,      false,  CALLER,       true
                            6,      false,  CALLER,       true
                            7,      false,  CALLER,      false
          """)
  void theLoopThreadStaysAwayWhileCallersComeAndForAWhileFromOneThatStays(
      int before, boolean used, Watcher watcher, boolean staysAway) {
    int idle = WatchPolicy.idleGlances(before, used);
    assertThat(WatchPolicy.staysAway(idle, watcher)).isEqualTo(staysAway);
  }

  private static long nanos(long micros) {
    return TimeUnit.MICROSECONDS.toNanos(micros);
  }
}
