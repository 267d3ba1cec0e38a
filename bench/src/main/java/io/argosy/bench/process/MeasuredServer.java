package io.argosy.bench.process;

import io.argosy.bench.load.Target;
import java.io.IOException;
import java.time.Duration;

/** An API server that load is sent to, with all the processes that are needed for it to answer. */
public interface MeasuredServer extends AutoCloseable {
    Target target();

    Memory memory() throws IOException;

    /** The processor time it has used, which a busy machine changes less than the time on the clock. */
    Duration processorTime();

    @Override
    void close() throws IOException;
}
