package io.argosy.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives every test of the class a fresh cluster in this JVM, with real controllers and scheduler, simulated nodes, and time that only the
 * test moves. Tests, their set-up methods and constructors may ask for a {@link Cluster} and for a fabric8 {@code KubernetesClient} as
 * parameters. On a method it says what is different for that test.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(ArgosyExtension.class)
public @interface ArgosyTest {
    /** How many nodes there are: n1, n2 ... */
    int nodes() default 3;

    /** What chance decides by: generated names, uids, addresses, faults. The same seed, the same run. {@code -Dargosy.seed} gives another to all tests that name none. */
    long seed() default 1;
}
