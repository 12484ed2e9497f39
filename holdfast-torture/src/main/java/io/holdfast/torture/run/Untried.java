package io.holdfast.torture.run;

/**
 * Something that a run was to try and could not, as on a machine that is too busy.
 *
 * @param what the fault and its place in the plan, or the stage of the run
 * @param why what went wrong instead
 */
public record Untried(String what, String why) {
  @Override
  public String toString() {
    return what + ": " + why;
  }
}
