package io.holdfast.torture.history;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What somebody had, from the grant to its end, and what is certain about it.
 *
 * <pre>
 *   INVOKE           OK            VALID        VALID                 VALID_END, LOST, or RELEASE returns
 *     |---------------|--------------|------------|- - - - - - - - - - - -|
 *         granted         certainly believed          the belief ends
 *         somewhere    granted()     to      seenValid()     somewhere      endedBy()
 * </pre>
 */
public final class Hold {
  private final Subject subject;
  private final String id;
  private final Call acquire;
  private final List<Call> inner = new ArrayList<>();
  private @Nullable Call release;
  private @Nullable Fault excuse;
  private long seenValid = Long.MIN_VALUE;
  private long endSeen = Long.MAX_VALUE;
  private long lost = Long.MAX_VALUE;

  Hold(Subject subject, String id, Call acquire) {
    this.subject = subject;
    this.id = id;
    this.acquire = acquire;
    if (acquire.end() != null && acquire.end().is(Detail.VALID)) {
      seenValid = acquire.end().nanos();
    }
  }

  void excuse(Fault fault) {
    if (excuse == null || fault.from() < excuse.from()) {
      excuse = fault;
    }
  }

  void entered(Call call) {
    inner.add(call);
  }

  void left(Call call) {
    if (call.invoke().is(Detail.REENTRANT)) {
      inner.add(call);
    } else {
      release = call;
      if (call.end() != null) {
        endSeen = Math.min(endSeen, call.end().nanos());
      }
    }
    if (call.invoke().is(Detail.VALID)) {
      seenValid = Math.max(seenValid, call.invoke().nanos());
    }
  }

  void saw(HistoryEvent event) {
    switch (event.action()) {
      case VALID -> seenValid = Math.max(seenValid, event.nanos());
      case LOST -> {
        lost = Math.min(lost, event.nanos());
        endSeen = Math.min(endSeen, event.nanos());
      }
      default -> endSeen = Math.min(endSeen, event.nanos());
    }
  }

  /** What is held. */
  public Subject subject() {
    return subject;
  }

  /** The id that the events name. */
  public String id() {
    return id;
  }

  /** The operation that obtained it. */
  public Call acquire() {
    return acquire;
  }

  /** The acquisitions and releases inside it by the same thread, in the order of their ends. */
  public List<Call> inner() {
    return inner;
  }

  /** The operation that gave it back, or null. */
  public @Nullable Call release() {
    return release;
  }

  /** The process that holds. */
  public String client() {
    return acquire.client();
  }

  /** The thread that owns it, or null for a handle, which belongs to nobody. */
  public @Nullable String owner() {
    String how = acquire.detail(Detail.HOW);
    return "handle".equals(how) || "async".equals(how)
        ? null
        : client() + "/" + acquire.invoke().thread();
  }

  /** When the acquisition had returned. */
  public long granted() {
    return acquire.to();
  }

  /** Its token, or 0 if it is not known. */
  public long token() {
    return acquire.number(Detail.TOKEN, 0);
  }

  /** How much of the limit it takes. */
  public long amount() {
    return switch (subject.kind()) {
      case READ_WRITE -> isWrite() ? limit() : 1;
      case SEMAPHORE -> acquire.number(Detail.PERMITS, 1);
      default -> 1;
    };
  }

  /** How much there is. */
  public long limit() {
    return switch (subject.kind()) {
      case READ_WRITE -> Integer.MAX_VALUE;
      case SEMAPHORE -> acquire.number(Detail.LIMIT, 1);
      default -> 1;
    };
  }

  /** True for a writer. */
  public boolean isWrite() {
    return "write".equals(acquire.detail(Detail.PRIMITIVE));
  }

  /** True if the two may not be held at the same time, whatever else is held. */
  public boolean excludes(Hold other) {
    if (subject.kind() == Subject.Kind.READ_WRITE
        && isWrite() != other.isWrite()
        && owner() != null
        && owner().equals(other.owner())) {
      return false; // a writer may read
    }
    return amount() + other.amount() > Math.min(limit(), other.limit());
  }

  /** The last moment at which it is certain that the holder believed to hold; may be very small. */
  public long seenValid() {
    return seenValid;
  }

  /**
   * The first fault that allows others to hold beside it from then on, or null. It may have been
   * before the hold, which then was entered on the strength of what the process had before.
   */
  public @Nullable Fault excuse() {
    return excuse;
  }

  /**
   * Until when it is certain to exclude others: as long as its holder was seen to believe in it,
   * but not beyond a fault that breaks that promise.
   */
  public long certainUntil() {
    return excuse == null ? seenValid : Math.min(seenValid, excuse.from());
  }

  /** Its token if it is certain that the store gave it after all that it gave before, else 0. */
  public long orderedToken() {
    return excuse == null || granted() <= excuse.from() ? token() : 0;
  }

  /** A moment at which the belief had ended; {@link Long#MAX_VALUE} if nothing says so. */
  public long endedBy() {
    return endSeen == Long.MAX_VALUE ? endSeen : Math.max(endSeen, granted());
  }

  /** When the lost signal was heard; {@link Long#MAX_VALUE} if it was not. */
  public long lost() {
    return lost;
  }

  /**
   * True if its lost signal would be written down. A hold of a thread is known to listeners by its
   * token, so one without a token, as of a multi-lock, cannot be told from others.
   */
  public boolean listens() {
    return token() != 0 || owner() == null;
  }

  /** When the holder began to give it back; {@link Long#MAX_VALUE} if it did not. */
  public long released() {
    return release == null ? Long.MAX_VALUE : release.from();
  }
}
