package io.holdfast.cli.demo;

/** The two ways to sell. */
enum Round {
  WITHOUT_LOCK("without a lock"),
  WITH_LOCK("with the lock");

  private final String title;

  Round(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }
}
