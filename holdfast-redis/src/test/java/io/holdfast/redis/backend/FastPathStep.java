package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testservers.RespException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One call of a script on prepared data. The whole script must leave the same as the script without
 * its fast path.
 *
 * @param isFast whether the fast path deals with the call
 * @param before prepares the data
 * @param act the call; gives its answer
 */
record FastPathStep<T>(String name, boolean isFast, Consumer<T> before, Function<T, Object> act) {
  private static final String PAST = "past the fast path";

  static <T> FastPathStep<T> fast(String name, Consumer<T> before, Function<T, Object> act) {
    return new FastPathStep<>(name, true, before, act);
  }

  static <T> FastPathStep<T> slow(String name, Consumer<T> before, Function<T, Object> act) {
    return new FastPathStep<>(name, false, before, act);
  }

  /**
   * Compares the two ways.
   *
   * @param run runs this step and gives everything that it has left, with {@link #outcome}
   */
  void check(Function<FastPath, Map<String, Object>> run) {
    Map<String, Object> without = run.apply(FastPath.LEFT_OUT);
    Map<String, Object> whole = run.apply(FastPath.MARKED);
    assertThat(without.remove(PAST)).isEqualTo(true);
    assertThat(whole.remove(PAST)).isEqualTo(!isFast);
    assertThat(whole).isEqualTo(without);
  }

  /** Makes the call and notes its answer, and whether it went past the fast path. */
  void outcome(T subject, ScriptCalls scripts, Map<String, Object> seen) {
    seen.put("answer", answer(subject));
    seen.put(PAST, scripts.exists(FastPath.MARK));
    scripts.redis.call("DEL", FastPath.MARK);
  }

  private Object answer(T subject) {
    try {
      return act.apply(subject);
    } catch (RespException e) {
      return String.valueOf(e.getMessage()).replaceAll(" script: .*", "");
    }
  }

  /** Announcements of releases, without what differs from run to run. */
  static List<Map<String, String>> announcements(List<String> texts) {
    List<Map<String, String>> all = new ArrayList<>();
    for (String text : texts) {
      Map<String, String> message = FlatJson.parse(text);
      assertThat(message.remove("releaseTime")).matches("\\d{13}");
      message.compute("holder", (field, owner) -> ScriptCalls.nameOf(String.valueOf(owner)));
      all.add(message);
    }
    return all;
  }

  @Override
  public String toString() {
    return name;
  }
}
