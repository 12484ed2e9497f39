package io.holdfast.redis.backend;

import io.lettuce.core.event.Event;
import io.lettuce.core.event.EventBus;
import io.lettuce.core.event.jfr.EventRecorder;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;

/**
 * Passes Lettuce's events to the flight recorder, as Lettuce's own bus does, and to one listener.
 * Lettuce's bus would load most of a reactive library for subscribers, and a client of this module
 * has none.
 */
final class RecordedEvents implements EventBus {
  private final Consumer<Event> listener;

  RecordedEvents(Consumer<Event> listener) {
    this.listener = listener;
  }

  @Override
  public Flux<Event> get() {
    return Flux.never();
  }

  @Override
  public void publish(Event event) {
    listener.accept(event);
    EventRecorder.getInstance().record(event);
  }
}
