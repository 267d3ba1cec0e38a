package io.argosy.controllers.servicerange;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddressBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDRBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is done about an address, for everything that can be the matter with it. */
class AddressRepairTest {
    private static final String ADDRESS = "10.96.0.7";
    private static final Duration OLD = Duration.ofMinutes(5);
    private static final Service ONE = service("one");
    private static final Service TWO = service("two");
    private static final ServiceCIDR RANGE = range("kubernetes", "10.96.0.0/16");

    private static Service service(String name) {
        return new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("a")
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withClusterIPs(ADDRESS)
                .endSpec()
                .build();
    }

    private static ServiceCIDR range(String name, String... cidrs) {
        return new ServiceCIDRBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withCidrs(cidrs)
                .endSpec()
                .build();
    }

    private static IPAddress object(String resource, String name) {
        return new IPAddressBuilder()
                .withNewMetadata()
                .withName(ADDRESS)
                .addToLabels(Ranges.FAMILY, "IPv4")
                .addToLabels(Ranges.MANAGED_BY, Ranges.ALLOCATOR)
                .endMetadata()
                .withNewSpec()
                .withNewParentRef("", name, "a", resource)
                .endSpec()
                .build();
    }

    private static AddressRepair repair(IPAddress object, Duration age, Service... holders) {
        return repair(object, age, List.of(RANGE), holders);
    }

    private static AddressRepair repair(IPAddress object, Duration age, List<ServiceCIDR> ranges, Service... holders) {
        return AddressRepair.of(ADDRESS, Optional.ofNullable(object), List.of(holders), false, ranges, age);
    }

    private static String reason(AddressRepair repair) {
        assertThat(repair.said()).hasSize(1);
        return repair.said().getFirst().reason();
    }

    private static void isNothing(AddressRepair repair) {
        assertThat(repair.make()).isEmpty();
        assertThat(repair.remove()).isFalse();
        assertThat(repair.said()).isEmpty();
    }

    @Test
    void whatIsInOrderStays() {
        isNothing(repair(object("services", "one"), OLD, ONE));
        isNothing(repair(null, OLD));
        assertThat(repair(object("services", "one"), OLD, ONE).delay()).isZero();
    }

    @Test
    void aMissingObjectIsMade() {
        AddressRepair repair = repair(null, OLD, ONE);
        assertThat(repair.make()).contains(ONE);
        assertThat(repair.remove()).isFalse();
        assertThat(repair.said().getFirst().message())
                .isEqualTo("Cluster IP [IPv4]: 10.96.0.7 is not allocated; repairing");
        assertThat(reason(repair)).isEqualTo("ClusterIPNotAllocated");
    }

    @Test
    void oneOfSomebodyElseIsMadeAnew() {
        for (IPAddress wrong : List.of(object("gates", "one"), object("services", "other"))) {
            AddressRepair repair = repair(wrong, OLD, ONE);
            assertThat(repair.remove()).isTrue();
            assertThat(repair.make()).contains(ONE);
            assertThat(repair.said().getFirst().message())
                    .isEqualTo("the ClusterIP [IPv4]: 10.96.0.7 for Service a/one has a wrong reference; repairing");
        }
        IPAddress unlabelled = object("services", "one");
        unlabelled.getMetadata().getLabels().remove(Ranges.MANAGED_BY);
        assertThat(repair(unlabelled, OLD, ONE).remove()).isTrue();
    }

    @Test
    void whoHasItBesideTheRightfulOneIsTold() {
        AddressRepair repair = repair(object("services", "two"), OLD, ONE, TWO);
        assertThat(reason(repair)).isEqualTo("ClusterIPAlreadyAllocated");
        assertThat(repair.said().getFirst().about()).contains(ONE);
        assertThat(repair.remove()).isFalse();
    }

    @Test
    void whatIsInNoRangeIsSaid() {
        assertThat(reason(repair(null, OLD, List.of(range("kubernetes", "10.97.0.0/16")), ONE)))
                .isEqualTo("ClusterIPOutOfRange");
        assertThat(repair(null, OLD, List.of(), ONE).make()).contains(ONE);
    }

    @Test
    void anObjectWithoutAServiceWaitsForItAWhile() {
        AddressRepair early = repair(object("services", "one"), Duration.ofSeconds(20));
        isNothing(early);
        assertThat(early.delay()).isEqualTo(Duration.ofSeconds(40));
        AddressRepair late = repair(object("services", "one"), Duration.ofSeconds(60));
        assertThat(late.remove()).isTrue();
        assertThat(late.said().getFirst().message())
                .isEqualTo("IPAddress: 10.96.0.7 for Service a/one appears to have leaked: cleaning up");
    }

    @Test
    void oneThatItsServiceDoesNotHaveGoes() {
        AddressRepair repair =
                AddressRepair.of(ADDRESS, Optional.of(object("services", "one")), List.of(), true, List.of(RANGE), OLD);
        assertThat(repair.remove()).isTrue();
        assertThat(reason(repair)).isEqualTo("IPAddressWrongReference");
    }

    @Test
    void othersObjectsAreTheirs() {
        IPAddress theirs = object("gates", "g");
        theirs.getMetadata().getLabels().put(Ranges.MANAGED_BY, "example.com");
        isNothing(repair(theirs, OLD));
        AddressRepair changed = repair(object("gates", "g"), Duration.ZERO);
        assertThat(changed.remove()).isTrue();
        assertThat(reason(changed)).isEqualTo("IPAddressNotAllocated");
    }

    @Test
    void aRangeGoesWhenAllItsAddressesAreInOthers() {
        IPAddress address = object("services", "one");
        ServiceCIDR small = range("small", "10.96.0.0/24");
        assertThat(Ranges.canGo(RANGE, List.of(RANGE), List.of(address))).isFalse();
        assertThat(Ranges.canGo(RANGE, List.of(RANGE, small), List.of(address))).isTrue();
        assertThat(Ranges.canGo(RANGE, List.of(RANGE, range("other", "10.97.0.0/16")), List.of(address)))
                .isFalse();
        assertThat(Ranges.canGo(RANGE, List.of(RANGE), List.of())).isTrue();
        address.getMetadata().getLabels().remove(Ranges.MANAGED_BY);
        assertThat(Ranges.canGo(RANGE, List.of(RANGE), List.of(address))).isTrue();
    }
}
