package io.holdfast.zookeeper.backend;

import io.holdfast.spi.BackendException;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The children of one key at one moment, and the rules that tell holders from waiters. This class
 * does no I/O.
 *
 * <pre>
 *   lock        [A] B C D           the first holds; each other watches its predecessor
 *   read-write  [r r] w r r w       readers hold up to the first writer; a reader watches the last
 *                    ^ . .          writer before it, a writer its predecessor
 *   semaphore   [2 1] 2 1           of 4: holders up to the first that does not fit; that one watches
 *                     ^             the whole line, each other its predecessor. An owner that wants
 *                                   more than 4 does not stand in line: see {@link #hasEnoughFor}
 * </pre>
 *
 * <p>A reader that may overtake holds also behind a writer, if the writer still waits for readers
 * before it. Such a reader claims the lock in its node, which is why a writer at its turn must read
 * the nodes of such readers behind it.
 */
final class Line {
  /** Nodes beside the tickets: marks of partial releases, and a changed limit. */
  private static final String PART = "part~";

  private static final String LIMIT = "limit~";

  private final Resource resource;
  private final List<Ticket> tickets = new ArrayList<>();
  private final Map<String, Integer> parts = new HashMap<>();
  private Resource.@Nullable Kind otherKind;
  private @Nullable String limitNode;
  private int changedLimit;

  private Line(Resource resource) {
    this.resource = resource;
  }

  static Line of(Resource resource, List<String> names) {
    Line line = new Line(resource);
    names.forEach(line::add);
    line.tickets.sort((a, b) -> a.sequence() == b.sequence() ? 0 : a.isBefore(b) ? -1 : 1);
    return line;
  }

  private void add(String name) {
    Ticket ticket = Ticket.parse(name);
    if (ticket != null) {
      tickets.add(ticket);
      note(ticket.type().kind);
    } else if (name.startsWith(PART)) {
      addPart(name.substring(PART.length()).split("~", -1));
    } else if (name.startsWith(LIMIT)) {
      addLimit(name, name.substring(LIMIT.length()).split("~", -1));
    } else if (name.equals(LatchNodes.GATE)) {
      note(Resource.Kind.LATCH);
    }
  }

  private void note(Resource.Kind kind) {
    if (kind != resource.kind()) {
      otherKind = kind;
    }
  }

  private void addPart(String[] fields) {
    if (fields.length == 2 && isNumber(fields[0])) {
      parts.put(fields[1], Integer.parseInt(fields[0]));
    }
  }

  private void addLimit(String name, String[] fields) {
    if (fields.length == 2 && isNumber(fields[0]) && isNumber(fields[1])) {
      note(Resource.Kind.SEMAPHORE);
      limitNode = name;
      changedLimit = Integer.parseInt(fields[1]);
    }
  }

  private static boolean isNumber(String text) {
    return text.matches("\\d{1,10}") && Long.parseLong(text) <= Integer.MAX_VALUE;
  }

  static String partName(int amount, Owner owner) {
    return PART + amount + Ticket.SEPARATOR + Escape.encode(owner.toString());
  }

  static String limitName(int declared, int limit) {
    return LIMIT + declared + Ticket.SEPARATOR + limit;
  }

  // ---- contents

  /** The tickets in order of arrival. */
  List<Ticket> tickets() {
    return tickets;
  }

  List<Ticket> of(Owner owner) {
    return tickets.stream().filter(ticket -> ticket.owner().equals(owner)).toList();
  }

  @Nullable Ticket named(String name) {
    return tickets.stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
  }

  /** The name of the node that marks a partial release of this owner, if there is one. */
  @Nullable String partOf(Owner owner) {
    Integer amount = parts.get(Escape.encode(owner.toString()));
    return amount == null ? null : partName(amount, owner);
  }

  /** The amount that the owner of a ticket holds or wants. */
  int amountOf(Ticket ticket) {
    Integer part = parts.get(Escape.encode(ticket.owner().toString()));
    return part == null ? ticket.amount() : Math.min(part, ticket.amount());
  }

  /** The name of the node of a changed limit, if there is one. */
  @Nullable String limitNode() {
    return limitNode;
  }

  /** The limit; 0 if no node declares one. */
  int limit() {
    if (resource.kind() == Resource.Kind.LOCK) {
      return 1;
    }
    int declared = tickets.isEmpty() ? 0 : tickets.get(0).limit();
    return changedLimit != 0 ? changedLimit : declared;
  }

  int lastSequence() {
    return tickets.isEmpty() ? 0 : tickets.get(tickets.size() - 1).sequence();
  }

  // ---- checks

  /** A key is of one kind at a time. */
  void requireOneKind() {
    if (otherKind != null) {
      throw new BackendException(
          "the key '%s' is in use as a %s and cannot be a %s as well"
              .formatted(resource.key(), otherKind.text(), resource.kind().text()),
          null);
    }
  }

  /**
   * Every owner declares the limit. The first declaration counts and the others must agree, unless
   * the limit was changed.
   */
  void requireLimit(int declared, @Nullable Ticket me) {
    if (changedLimit != 0 || tickets.isEmpty()) {
      return;
    }
    Ticket first = tickets.get(0);
    int known = me == null || first.isBefore(me) ? first.limit() : declared;
    if (known != declared) {
      throw new BackendException(
          "%s has %d permits for others and cannot have %d here; give the same number everywhere"
              .formatted(resource, known, declared),
          null);
    }
  }

  /**
   * ZooKeeper has about two thousand million sequence numbers for a container. Then it repeats the
   * last one, and the order of arrival cannot be told.
   */
  private void requireOrder(Ticket me) {
    for (Ticket other : tickets) {
      if (other.sequence() == me.sequence() && !other.name().equals(me.name())) {
        throw new BackendException(
            ("%s has used up the sequence numbers of its node; leave it unused for some minutes,"
                    + " until the server removes the node")
                .formatted(resource),
            null);
      }
    }
  }

  // ---- judgement

  /**
   * False for an owner that wants more permits than there are at present. It must not stand in
   * line: the order alone tells who holds, so the owners behind it could not pass it.
   */
  boolean hasEnoughFor(Ticket me) {
    return resource.kind() != Resource.Kind.SEMAPHORE || me.amount() <= limitFor(me);
  }

  private int limitFor(Ticket me) {
    return changedLimit != 0 ? changedLimit : me.limit();
  }

  /**
   * Judges whether it is the turn of a ticket and, if not, what to watch.
   *
   * @param overtakers the names of readers behind it that are known to hold
   */
  Verdict judge(Ticket me, Set<String> overtakers) {
    requireOneKind();
    requireOrder(me);
    return switch (resource.kind()) {
      case LOCK -> judgeLock(me);
      case READ_WRITE ->
          me.type() == Ticket.Type.WRITE ? judgeWrite(me, overtakers) : judgeRead(me);
      case SEMAPHORE -> judgePermits(me);
      case LATCH -> throw new IllegalArgumentException("a latch has no line");
    };
  }

  private List<Ticket> before(Ticket me) {
    return tickets.stream().filter(ticket -> ticket.isBefore(me)).toList();
  }

  private Verdict judgeLock(Ticket me) {
    List<Ticket> before = before(me);
    if (before.isEmpty()) {
      return Verdict.turn(false, isContended(me));
    }
    return Verdict.wait(before.get(before.size() - 1), before.subList(0, 1), before.size());
  }

  private Verdict judgeWrite(Ticket me, Set<String> overtakers) {
    List<Ticket> before = before(me);
    if (!before.isEmpty()) {
      return Verdict.wait(before.get(before.size() - 1), holders(before), before.size());
    }
    for (Ticket ticket : tickets) {
      if (overtakers.contains(ticket.name())) {
        return Verdict.wait(ticket, List.of(ticket), 1);
      }
    }
    return Verdict.turn(false, isContended(me));
  }

  private Verdict judgeRead(Ticket me) {
    List<Ticket> before = before(me);
    List<Ticket> writers = before.stream().filter(this::writes).toList();
    if (writers.isEmpty()) {
      return Verdict.turn(false, isContended(me));
    }
    Ticket first = writers.get(0);
    boolean firstHolds = first.name().equals(before.get(0).name());
    if (me.type() == Ticket.Type.FIRST && !firstHolds) {
      return Verdict.turn(true, true);
    }
    Ticket watched = me.type() == Ticket.Type.FIRST ? first : writers.get(writers.size() - 1);
    return Verdict.wait(watched, holders(before), before.size());
  }

  private Verdict judgePermits(Ticket me) {
    requireLimit(me.limit(), me);
    List<Ticket> before = before(me);
    int limit = limitFor(me);
    long used = amountOf(me);
    for (Ticket ticket : before) {
      used += amountOf(ticket);
    }
    if (used <= limit) {
      return Verdict.turn(false, isContended(me));
    }
    List<Ticket> holders = holders(before);
    if (holders.size() == before.size()) {
      return Verdict.waitForAny(holders, before.size());
    }
    return Verdict.wait(before.get(before.size() - 1), holders, before.size());
  }

  private boolean writes(Ticket ticket) {
    return ticket.type() == Ticket.Type.WRITE && amountOf(ticket) > 1;
  }

  /** The tickets at the front of a line, or of a part of it, whose turn it is. */
  List<Ticket> holders(List<Ticket> some) {
    List<Ticket> holders = new ArrayList<>();
    long limit = limit();
    long used = 0;
    for (Ticket ticket : some) {
      used += amountOf(ticket);
      if (used > limit && !(holders.isEmpty() && ticket.type() == Ticket.Type.PERMITS)) {
        break;
      }
      holders.add(ticket);
    }
    return holders;
  }

  /** True if others wait for this holder. */
  boolean isContended(Ticket holder) {
    if (resource.kind() == Resource.Kind.SEMAPHORE) {
      return arePermitsContended(holder);
    }
    boolean reads = resource.kind() == Resource.Kind.READ_WRITE && !writes(holder);
    for (Ticket other : tickets) {
      if (!other.name().equals(holder.name()) && (!reads || writes(other))) {
        return true;
      }
    }
    return false;
  }

  /**
   * True if an owner of another client waits, or if the limit was lowered so that this holder is
   * beyond it. A client knows its own waiters without help.
   */
  private boolean arePermitsContended(Ticket holder) {
    for (Ticket behind : tickets.subList(holders(tickets).size(), tickets.size())) {
      if (behind.name().equals(holder.name())
          || !behind.owner().clientId().equals(holder.owner().clientId())) {
        return true;
      }
    }
    return false;
  }

  /** The readers behind a writer that may have overtaken it. */
  List<Ticket> possibleOvertakers(Ticket writer) {
    return tickets.stream()
        .filter(each -> each.type() == Ticket.Type.FIRST && writer.isBefore(each))
        .toList();
  }
}
