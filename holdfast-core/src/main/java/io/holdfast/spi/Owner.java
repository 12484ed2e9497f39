package io.holdfast.spi;

import java.util.Objects;

/**
 * Who holds, or waits for, a lock in the store: a client (one lock manager of one process) and the
 * tenure. The tenure id is unguessable and new for every acquisition, so a retry of the same
 * acquisition is recognised, and a message that carries the id of a waiting tenure was written by
 * someone who read it in the store.
 *
 * @param clientId the id of the lock manager, without a colon
 * @param tenureId the id of this acquisition
 */
public record Owner(String clientId, String tenureId) {
  /** Checks the parts. */
  public Owner {
    Objects.requireNonNull(tenureId, "tenureId");
    if (clientId.indexOf(':') >= 0) {
      throw new IllegalArgumentException("a client id has no colon: " + clientId);
    }
  }

  /** Reads what {@link #toString()} wrote. */
  public static Owner parse(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("not an owner: " + text);
    }
    return new Owner(text.substring(0, colon), text.substring(colon + 1));
  }

  /** The form in which owners stand in the store: {@code clientId:tenureId}. */
  @Override
  public String toString() {
    return clientId + ':' + tenureId;
  }
}
