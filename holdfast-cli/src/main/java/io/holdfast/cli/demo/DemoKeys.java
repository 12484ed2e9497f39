package io.holdfast.cli.demo;

/**
 * The names of all that the demo keeps in Redis. The lock has a key of its own: Holdfast keeps it
 * as a hash under the very name it is given.
 *
 * @param stock a number: how many items are left
 * @param sold a list: the number of each item that was sold, in the order of the sales
 * @param lock the lock
 */
record DemoKeys(String stock, String sold, String lock) {
  static DemoKeys of(String stock) {
    return new DemoKeys(stock, stock + ":sold", stock + ":lock");
  }
}
