package io.argosy.examples.network;

import io.fabric8.crd.generator.annotation.Annotations;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** A network that somebody wants to have: this class is all that the API, the client and the definition need. */
@Group("samplecrd.k8s.io")
@Version("v1")
@ShortNames("net")
@Annotations("api-approved.kubernetes.io=unapproved, an example") // groups of k8s.io are Kubernetes' own
public final class Network extends CustomResource<Network.Spec, Network.Status> implements Namespaced {
    private static final long serialVersionUID = 1L;

    /** What is wanted. */
    public static final class Spec {
        @Required
        @Pattern("^([0-9]{1,3}\\.){3}[0-9]{1,3}/[0-9]{1,2}$")
        @PrinterColumn
        public String cidr;

        @Required
        @Pattern("^([0-9]{1,3}\\.){3}[0-9]{1,3}$")
        @PrinterColumn
        public String gateway;
    }

    /** What there is. */
    public static final class Status {
        @PrinterColumn
        public String bridge;
    }
}
