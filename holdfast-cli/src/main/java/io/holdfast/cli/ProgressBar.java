package io.holdfast.cli;

/**
 * One line that shows how far something has come. On a terminal it is drawn over and over; anywhere
 * else it is a new line for each quarter of the way.
 */
public final class ProgressBar {
  private static final int WIDTH = 30;
  private static final int STEP = 25;
  private static final String ERASE_LINE = "\r\033[K";

  private final Screen screen;
  private final String label;
  private int printedPercent;

  /** A bar that shows nothing until its first update. */
  public ProgressBar(Screen screen, String label) {
    this.screen = screen;
    this.label = label;
  }

  /** Shows a share from 0 to 1, with a remark. */
  public void update(double share, String remark) {
    int percent = (int) (100 * Math.max(0, Math.min(1, share)));
    if (screen.redraws()) {
      screen.out().print(ERASE_LINE + text(percent, remark));
      screen.out().flush();
    } else if (percent < 100 && percent / STEP > printedPercent / STEP) {
      printedPercent = percent;
      screen.out().println(text(percent, remark));
    }
  }

  /** Shows the end, which stays. */
  public void finish(String remark) {
    if (screen.redraws()) {
      screen.out().print(ERASE_LINE);
    }
    screen.out().println(text(100, remark));
  }

  /** Takes the bar off the screen. */
  public void erase() {
    if (screen.redraws()) {
      screen.out().print(ERASE_LINE);
      screen.out().flush();
    }
  }

  private String text(int percent, String remark) {
    return "  %s  %s %3d %%  %s".formatted(label, bar(percent), percent, remark).stripTrailing();
  }

  private String bar(int percent) {
    int done = WIDTH * percent / 100;
    String filled = screen.unicode() ? "\u2501" : "#";
    String empty = screen.unicode() ? "\u2500" : ".";
    return screen.styled("fg(green)", filled.repeat(done))
        + screen.styled("faint", empty.repeat(WIDTH - done));
  }
}
