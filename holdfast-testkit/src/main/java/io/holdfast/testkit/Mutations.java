package io.holdfast.testkit;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Texts to try a parser with: damaged forms of valid ones, and noise. The same seed gives the same
 * texts, so that one that fails can be tried again.
 *
 * <pre>{@code
 * Mutations.of(4711, List.of("wanted client:1")).limit(10_000).forEach(text -> parse(text));
 * }</pre>
 */
public final class Mutations {
  private static final String SIGNS =
      "\u0000\u001f\n\r\t :;,~%=&?/\\\\.-+*[]{}()'\"@#$<>|^!019aAeExX\u0663\u00e9\u4e2d\ud83d\ude00";
  private static final int NOISE = 60;
  private static final int MOST_STEPS = 5;

  private final Random random;
  private final List<String> valid;

  private Mutations(long seed, List<String> valid) {
    this.random = new Random(seed);
    this.valid = List.copyOf(valid);
  }

  /** An endless stream; about every tenth text is noise. */
  public static Stream<String> of(long seed, List<String> valid) {
    Mutations mutations = new Mutations(seed, valid);
    return Stream.generate(mutations::next);
  }

  private String next() {
    if (random.nextInt(10) == 0) {
      StringBuilder noise = new StringBuilder();
      for (int i = random.nextInt(NOISE); i > 0; i--) {
        noise.append(random.nextBoolean() ? sign() : (char) random.nextInt(0x10000));
      }
      return noise.toString();
    }
    String text = valid.get(random.nextInt(valid.size()));
    for (int i = random.nextInt(MOST_STEPS); i >= 0; i--) {
      text = step(text);
    }
    return text;
  }

  private String step(String text) {
    StringBuilder changed = new StringBuilder(text);
    int at = random.nextInt(text.length() + 1);
    int until = Math.min(text.length(), at + random.nextInt(8));
    switch (random.nextInt(7)) {
      case 0 -> changed.insert(at, sign());
      case 1 -> changed.setLength(at);
      case 2 -> changed.delete(at, until);
      case 3 -> changed.insert(at, text, at, until);
      case 4 -> changed.insert(at, random.nextLong());
      case 5 -> {
        String other = valid.get(random.nextInt(valid.size()));
        changed.replace(at, text.length(), other.substring(random.nextInt(other.length() + 1)));
      }
      default -> changed.replace(at, until, String.valueOf(sign()));
    }
    return changed.toString();
  }

  private char sign() {
    return SIGNS.charAt(random.nextInt(SIGNS.length()));
  }
}
