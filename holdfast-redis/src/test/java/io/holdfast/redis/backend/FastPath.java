package io.holdfast.redis.backend;

import java.util.Map;

/**
 * What tests do with the fast path at the beginning of a script, in order to compare it with the
 * rest of the script.
 */
enum FastPath {
  AS_IS,

  /** Kept; the rest of the script begins with setting {@link #MARK}. */
  MARKED,

  /** Left out; the rest of the script begins with setting {@link #MARK}. */
  LEFT_OUT;

  /** A key that exists once a script has come to the end of its fast path. */
  static final String MARK = "past the fast path";

  /** Locals that the rest of a script has from its fast path. */
  private static final Map<LuaScript, String> LOCALS =
      Map.of(
          LuaScript.RELEASE,
          """
          local released = false
          local is_held = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1
          """);

  String text(LuaScript script) {
    if (this == AS_IS) {
      return script.text();
    }
    String fastPath = script.resource() + "_fast";
    String kept = this == MARKED ? LuaSource.read(fastPath) : LOCALS.getOrDefault(script, "");
    String marked = kept + "redis.call('SET', '" + MARK + "', '1')\n";
    String text =
        LuaSource.of(
            script.resource(), name -> name.equals(fastPath) ? marked : LuaSource.read(name));
    if (!text.contains(MARK)) {
      throw new AssertionError(script + " does not include " + fastPath);
    }
    return text;
  }
}
