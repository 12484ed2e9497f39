package io.holdfast.torture.check;

import java.util.List;

/**
 * What a checker says of a history.
 *
 * @param check the name of the checker
 * @param status the short answer
 * @param looked how many things it looked at; a rule that met nothing has proved nothing
 * @param violations what is wrong, the first of them if there are many
 * @param count how many are wrong
 * @param note more for people; may be empty
 */
public record Verdict(
    String check, Status status, long looked, List<Violation> violations, long count, String note) {

  /** The name of the checker of fair order, which looks at pairs of grants. */
  public static final String FAIR_ORDER = "fair order";

  /** The short answer. */
  public enum Status {
    /** Nothing is wrong. */
    PASSED,
    /** Something is. */
    VIOLATED,
    /** Not found out, or only in part: not passed. */
    NOT_DECIDED
  }

  /** Copies the list. */
  public Verdict {
    violations = List.copyOf(violations);
  }

  /** True if nothing is wrong, which includes that it was found out. */
  public boolean passed() {
    return status == Status.PASSED;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(check).append(": ").append(status).append(", looked at ").append(looked);
    if (count > 0) {
      text.append(", ").append(count).append(" wrong");
    }
    if (!note.isEmpty()) {
      text.append(" (").append(note).append(')');
    }
    violations.forEach(each -> text.append(System.lineSeparator()).append("  ").append(each));
    return text.toString();
  }
}
