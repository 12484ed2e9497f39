/** The numbers of a lock manager as Micrometer meters. */
// Micrometer has no module descriptor, and declares the name micrometer.core in its manifest.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module io.holdfast.micrometer {
  exports io.holdfast.micrometer;

  requires transitive io.holdfast.core;
  requires transitive micrometer.core;
  requires static org.jspecify;
}
