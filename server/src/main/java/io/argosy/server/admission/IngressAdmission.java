package io.argosy.server.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.ResourceStore;
import java.util.List;
import java.util.function.Supplier;

/** Gives an ingress that names no class the default one. */
public final class IngressAdmission implements Admission {
    private static final GroupResource INGRESSES = new GroupResource("networking.k8s.io", "ingresses");
    private static final String CLASS_ANNOTATION = "kubernetes.io/ingress.class";

    private final DefaultClass defaultClass;

    public IngressAdmission(Supplier<ResourceStore> ingressClasses) {
        this.defaultClass = new DefaultClass(ingressClasses, List.of("ingressclass.kubernetes.io/is-default-class"));
    }

    @Override
    public void mutate(Review review) {
        ObjectNode ingress = review.object();
        if (review.operation() != Operation.CREATE
                || !review.subresource().isEmpty()
                || !review.type().groupResource().equals(INGRESSES)
                || ingress.path("spec").hasNonNull("ingressClassName")
                || ingress.path("metadata").path("annotations").has(CLASS_ANNOTATION)) {
            return;
        }
        defaultClass.name().ifPresent(name -> ingress.withObject("/spec").put("ingressClassName", name));
    }
}
