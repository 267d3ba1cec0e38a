package io.argosy.junit;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.platform.commons.support.AnnotationSupport;

/** Starts a cluster when a test asks for one, and ends it after the test. */
final class ArgosyExtension implements ParameterResolver, AfterEachCallback, TestExecutionExceptionHandler {
    private static final Namespace NAMESPACE = Namespace.create(ArgosyExtension.class);
    /** A system property: another seed for all tests that ask for none of their own. */
    private static final String SEED = "argosy.seed";

    private static final long ANY_SEED = 1;

    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext rootContext) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Cluster.class || type == KubernetesClient.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Cluster cluster =
                context.getStore(NAMESPACE).computeIfAbsent(Cluster.class, key -> start(context), Cluster.class);
        return parameter.getParameter().getType() == Cluster.class ? cluster : cluster.client();
    }

    private static Cluster start(ExtensionContext context) {
        ArgosyTest asked = AnnotationSupport.findAnnotation(context.getElement(), ArgosyTest.class)
                .or(() -> AnnotationSupport.findAnnotation(context.getTestClass(), ArgosyTest.class))
                .orElseThrow();
        return Cluster.start(asked.nodes(), asked.seed() == ANY_SEED ? Long.getLong(SEED, ANY_SEED) : asked.seed());
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        Cluster cluster = context.getStore(NAMESPACE).get(Cluster.class, Cluster.class);
        if (cluster != null) {
            failure.addSuppressed(new RunOfTest(cluster));
        }
        throw failure;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Cluster cluster = context.getStore(NAMESPACE).remove(Cluster.class, Cluster.class);
        if (cluster == null) {
            return;
        }
        try {
            if (context.getExecutionException().isEmpty()) {
                cluster.checkInvariants();
            }
        } finally {
            cluster.close();
        }
    }

    /** Says with a failure what is needed to see it again. */
    private static final class RunOfTest extends Exception {
        private static final long serialVersionUID = 1L;

        RunOfTest(Cluster cluster) {
            super(
                    "the cluster stood at " + cluster.now() + "; @ArgosyTest(seed = " + cluster.seed()
                            + ") repeats this run",
                    null,
                    false,
                    false);
        }
    }
}
