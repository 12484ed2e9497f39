package io.holdfast.metrics;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one thing per family of lock keys, for a limited number of families: {@code stock:42} and
 * {@code stock:43} are one family, since nobody can look at a million charts and no store of
 * metrics can keep them. What comes after the limit, and what no name can be found for, is in the
 * family {@link #OTHER}.
 *
 * <pre>{@code
 * LockFamilies<LongAdder> taken =
 *     new LockFamilies<>(LockFamilies.BY_PREFIX, 100, family -> new LongAdder());
 * taken.of("stock:42").increment();
 * }</pre>
 *
 * @param <T> what is kept
 */
public final class LockFamilies<T> {
  /** Where everything goes that has no family of its own. */
  public static final String OTHER = "other";

  /**
   * The usual rule: the key up to its first colon, with every run of digits written as {@code *}.
   * So {@code user:profile:1001} is {@code user}, {@code order-17} is {@code order-*}, and {@code
   * nightly} is itself.
   */
  public static final Function<String, String> BY_PREFIX = LockFamilies::prefix;

  private static final int LONGEST_NAME = 100;

  private final Function<? super String, ? extends @Nullable String> rule;
  private final int most;
  private final Function<? super String, ? extends T> make;
  private final Map<String, T> families = new ConcurrentHashMap<>();

  /**
   * Empty so far.
   *
   * @param rule the name of the family of a key; null, or an empty name, is {@link #OTHER}
   * @param most how many families there may be beside {@link #OTHER}
   * @param make what is kept for a family, by its name
   */
  public LockFamilies(
      Function<? super String, ? extends @Nullable String> rule,
      int most,
      Function<? super String, ? extends T> make) {
    if (most < 0) {
      throw new IllegalArgumentException("the number of families cannot be negative: " + most);
    }
    this.rule = rule;
    this.most = most;
    this.make = make;
  }

  /** What is kept for the family of this key. */
  public T of(String key) {
    String name = name(key);
    T known = families.get(name);
    return known != null ? known : add(name);
  }

  /** A view of everything that is kept, by the names of the families in alphabetical order. */
  public <R> Map<String, R> all(Function<? super T, ? extends R> view) {
    Map<String, R> all = new TreeMap<>();
    families.forEach((name, kept) -> all.put(name, view.apply(kept)));
    return all;
  }

  /** One at a time, so that the limit is exact. */
  private synchronized T add(String name) {
    T known = families.get(name);
    if (known != null) {
      return known;
    }
    int named = families.size() - (families.containsKey(OTHER) ? 1 : 0);
    String allowed = named < most ? name : OTHER;
    return families.computeIfAbsent(allowed, make);
  }

  private String name(String key) {
    @Nullable String name;
    try {
      name = rule.apply(key);
    } catch (RuntimeException e) {
      return OTHER; // a rule that does not fit a key must not cost us the count
    }
    if (name == null || name.isBlank()) {
      return OTHER;
    }
    return name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME);
  }

  private static String prefix(String key) {
    int colon = key.indexOf(':');
    int end = colon < 0 ? key.length() : colon;
    int digit = 0;
    while (digit < end && !isDigit(key.charAt(digit))) {
      digit++;
    }
    return digit == end ? key.substring(0, end) : withoutDigits(key, digit, end);
  }

  private static String withoutDigits(String key, int firstDigit, int end) {
    StringBuilder name = new StringBuilder(end).append(key, 0, firstDigit);
    boolean inNumber = false;
    for (int i = firstDigit; i < end; i++) {
      boolean digit = isDigit(key.charAt(i));
      if (!digit) {
        name.append(key.charAt(i));
      } else if (!inNumber) {
        name.append('*');
      }
      inNumber = digit;
    }
    return name.toString();
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
