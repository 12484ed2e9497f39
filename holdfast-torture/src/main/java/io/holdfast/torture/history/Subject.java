package io.holdfast.torture.history;

/**
 * What operations compete for. Plain, fair, multi- and segment locks of one key are the same thing
 * in the store; a read-write lock, a semaphore or a latch of the same key is another.
 *
 * @param kind which kind
 * @param key the name
 */
public record Subject(Kind kind, String key) {
  /** The kinds. */
  public enum Kind {
    /** One holder. */
    LOCK,
    /** One writer or many readers. */
    READ_WRITE,
    /** Some of a number of permits. */
    SEMAPHORE,
    /** A count. */
    LATCH
  }

  /** The subject of an operation. */
  static Subject of(HistoryEvent event) {
    Kind kind =
        switch (event.action()) {
          case SET_COUNT, COUNT_DOWN, AWAIT -> Kind.LATCH;
          default ->
              switch (event.detail(Detail.PRIMITIVE, "lock")) {
                case "read", "write" -> Kind.READ_WRITE;
                case "semaphore" -> Kind.SEMAPHORE;
                default -> Kind.LOCK;
              };
        };
    return new Subject(kind, event.key());
  }

  @Override
  public String toString() {
    return kind.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-') + " '" + key + "'";
  }
}
