package io.holdfast.spi.state;

import io.holdfast.spi.BackendException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import io.holdfast.spi.state.ResourceState.Holder;
import io.holdfast.spi.state.ResourceState.Waiter;
import java.util.Map;

/**
 * A {@link ResourceState} as one line of printable ASCII that any column of any database takes:
 * records between semicolons, fields between commas, and everything that is not a letter, a digit
 * or one of a few signs as {@code %} and four hexadecimal digits, so that no name of a thread can
 * break out of its field.
 *
 * <pre>
 *   1;semaphore;declared;limit;count;H,client,tenure,...;W,client,tenure,...;P,client,tenure,...
 *                                    holders            waiters            let through (latch)
 * </pre>
 */
final class StateText {
  private static final String FORMAT = "1";
  private static final String PLAIN = "_.:/@- ()[]#+*!?=~";

  private StateText() {}

  static String write(ResourceState state) {
    Resource.Kind kind = state.kind;
    StringBuilder text = new StringBuilder(200);
    text.append(FORMAT).append(';').append(kind == null ? "" : kind.text());
    text.append(';').append(state.declared).append(';').append(state.limit);
    text.append(';').append(state.count);
    state.holders.values().forEach(holder -> write(holder, text));
    state.waiters.values().forEach(waiter -> write('W', waiter, text));
    state.passedLatch.values().forEach(waiter -> write('P', waiter, text));
    return text.toString();
  }

  private static void write(Holder holder, StringBuilder text) {
    who('H', holder.owner(), holder.client(), holder.thread(), text);
    numbers(text, holder.amount(), holder.since(), holder.end(), holder.tick());
    if (holder.unheardSince() != 0) {
      numbers(text, holder.unheardSince());
    }
  }

  private static void write(char sign, Waiter waiter, StringBuilder text) {
    who(sign, waiter.owner(), waiter.client(), waiter.thread(), text);
    Claim claim = waiter.claim();
    numbers(text, claim.amount(), claim.limit(), claim.overtakes() ? 1 : 0, waiter.leaseMillis());
    numbers(text, waiter.since(), waiter.believedAliveUntil());
    escape(waiter.note(), text.append(','));
    numbers(text, waiter.heardAt());
  }

  private static void who(
      char sign, Owner owner, ClientIdentity client, String thread, StringBuilder text) {
    escape(owner.clientId(), text.append(';').append(sign).append(','));
    escape(owner.tenureId(), text.append(','));
    escape(client.host(), text.append(','));
    text.append(',').append(client.pid());
    escape(client.application(), text.append(','));
    escape(thread, text.append(','));
  }

  private static void numbers(StringBuilder text, long... numbers) {
    for (long number : numbers) {
      text.append(',').append(number);
    }
  }

  /** Fills a state that is new. */
  static void read(String text, ResourceState state) {
    if (text.isEmpty()) {
      return;
    }
    String[] records = text.split(";", -1);
    if (!records[0].equals(FORMAT)) {
      throw new BackendException(
          "what is stored of this key was not written by this version of Holdfast; use the newest one everywhere",
          null);
    }
    try {
      state.kind = kind(records[1]);
      state.declared = Integer.parseInt(records[2]);
      state.limit = Integer.parseInt(records[3]);
      state.count = Long.parseLong(records[4]);
      for (int i = 5; i < records.length; i++) {
        Fields fields = new Fields(records[i].split(",", -1));
        switch (fields.text()) {
          case "H" -> {
            Holder holder = holder(fields);
            state.holders.put(holder.owner(), holder);
          }
          case "W" -> put(waiter(fields), state.waiters);
          case "P" -> put(waiter(fields), state.passedLatch);
          default -> throw new IllegalArgumentException("neither holder nor waiter");
        }
      }
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new BackendException(
          "what is stored of this key makes no sense; was it changed by hand? Set it to an empty text to free the key",
          e);
    }
  }

  private static void put(Waiter waiter, Map<Owner, Waiter> waiters) {
    waiters.put(waiter.owner(), waiter);
  }

  private static Resource.Kind kind(String text) {
    for (Resource.Kind kind : Resource.Kind.values()) {
      if (kind.text().equals(text)) {
        return kind;
      }
    }
    throw new IllegalArgumentException("no kind of resource: " + text);
  }

  private static Holder holder(Fields fields) {
    Owner owner = fields.owner();
    ClientIdentity client = fields.client(owner);
    String thread = fields.text();
    int amount = (int) fields.number();
    long since = fields.number();
    long end = fields.number();
    long tick = fields.number();
    return new Holder(owner, client, amount, thread, since, end, tick, fields.numberOr(0));
  }

  private static Waiter waiter(Fields fields) {
    Owner owner = fields.owner();
    ClientIdentity client = fields.client(owner);
    String thread = fields.text();
    Claim claim = new Claim((int) fields.number(), (int) fields.number(), fields.number() == 1);
    long lease = fields.number();
    long since = fields.number();
    long until = fields.number();
    String note = fields.text();
    long heardAt = fields.numberOr(until); // an older version does not say: never silent
    return new Waiter(owner, client, claim, lease, thread, note, since, until, heardAt);
  }

  /** The fields of a record, one after the other. */
  private static final class Fields {
    private final String[] fields;
    private int next;

    Fields(String[] fields) {
      this.fields = fields;
    }

    String text() {
      return unescape(fields[next++]);
    }

    long number() {
      return Long.parseLong(fields[next++]);
    }

    /** A field that older versions do not write. */
    long numberOr(long missing) {
      return next < fields.length ? number() : missing;
    }

    Owner owner() {
      return new Owner(text(), text());
    }

    ClientIdentity client(Owner owner) {
      return new ClientIdentity(owner.clientId(), text(), number(), text());
    }
  }

  // ---- escaping

  private static void escape(String raw, StringBuilder text) {
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || PLAIN.indexOf(c) >= 0;
      if (plain) {
        text.append(c);
      } else {
        text.append('%');
        for (int shift = 12; shift >= 0; shift -= 4) {
          text.append(Character.forDigit((c >> shift) & 15, 16));
        }
      }
    }
  }

  private static String unescape(String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    StringBuilder raw = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '%') {
        raw.append((char) Integer.parseInt(text.substring(i + 1, i + 5), 16));
        i += 4;
      } else {
        raw.append(text.charAt(i));
      }
    }
    return raw.toString();
  }
}
