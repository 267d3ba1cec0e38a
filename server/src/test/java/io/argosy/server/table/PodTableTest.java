package io.argosy.server.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodTableTest {
    private static final String RUNNING = "{'name':'c','ready':true,'restartCount':0,'state':{'running':{}}}";
    private static final String COMPLETED =
            "{'name':'d','restartCount':0,'state':{'terminated':{'exitCode':0,'reason':'Completed'}}}";

    /** Ready, Status and Restarts of a pod with two containers and that status. */
    private static String summary(String status) {
        return summary("'containers':[{'name':'c'},{'name':'d'}]", status);
    }

    private static String summary(String spec, String status) {
        return summary(Objects.object("'spec':{" + spec + "},'status':{" + status + "}"));
    }

    private static String summary(ObjectNode pod) {
        String[] cells = Objects.show("", "pods", pod).split("\\|", -1);
        return cells[1] + " " + cells[2] + " " + cells[3];
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'phase':'Pending' | 0/2 Pending 0",
                "'phase':'Failed','reason':'Evicted' | 0/2 Evicted 0",
                "'phase':'Pending','conditions':[{'type':'PodScheduled','status':'False','reason':'SchedulingGated'}] | 0/2 SchedulingGated 0",
                "'containerStatuses':[{'state':{'waiting':{'reason':'ContainerCreating'}}}] | 0/2 ContainerCreating 0",
                "'phase':'Running','containerStatuses':[{'restartCount':3,'state':{'waiting':{'reason':'CrashLoopBackOff'}},'lastState':{'terminated':{'finishedAt':'2026-01-10T11:55:00Z'}}}] | 0/2 CrashLoopBackOff 3 (5m ago)",
                "'phase':'Failed','containerStatuses':[{'state':{'terminated':{'exitCode':2}}}] | 0/2 ExitCode:2 0",
                "'phase':'Failed','containerStatuses':[{'state':{'terminated':{'exitCode':137,'signal':9}}}] | 0/2 Signal:9 0",
            })
    void theStatusIsTheWordThatSaysMost(String status, String shown) {
        assertThat(summary(status)).isEqualTo(shown);
    }

    @Test
    void aRunningPodCountsItsReadyContainers() {
        assertThat(summary("'phase':'Running','containerStatuses':[" + RUNNING + "," + RUNNING + "]"))
                .isEqualTo("2/2 Running 0");
    }

    @Test
    void oneCompletedContainerDoesNotMakeACompletedPod() {
        String statuses = "'phase':'Running','containerStatuses':[" + COMPLETED + "," + RUNNING + "]";
        assertThat(summary(statuses)).isEqualTo("1/2 NotReady 0");
        assertThat(summary(statuses + ",'conditions':[{'type':'Ready','status':'True'}]"))
                .isEqualTo("1/2 Running 0");
        assertThat(summary("'phase':'Succeeded','containerStatuses':[" + COMPLETED + "," + COMPLETED + "]"))
                .isEqualTo("0/2 Completed 0");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'state':{'waiting':{'reason':'PodInitializing'}}} | 0/1 Init:0/2 0",
                "{'state':{'running':{}}} | 0/1 Init:0/2 0",
                "{'restartCount':4,'state':{'waiting':{'reason':'CrashLoopBackOff'}}} | 0/1 Init:CrashLoopBackOff 4",
                "{'state':{'terminated':{'exitCode':1,'reason':'Error'}}} | 0/1 Init:Error 0",
                "{'state':{'terminated':{'exitCode':1}}} | 0/1 Init:ExitCode:1 0",
                "{'state':{'terminated':{'exitCode':0}}},{'state':{'running':{}}} | 0/1 Init:1/2 0",
            })
    void anInitializingPodSaysHowFarItIs(String statuses, String shown) {
        String spec = "'initContainers':[{'name':'a'},{'name':'b'}],'containers':[{'name':'c'}]";
        String waiting = "{'name':'c','state':{'waiting':{'reason':'PodInitializing'}}}";
        assertThat(summary(
                        spec,
                        "'phase':'Pending','initContainerStatuses':[" + statuses + "],'containerStatuses':[" + waiting
                                + "]"))
                .isEqualTo(shown);
    }

    @Test
    void sidecarsCountAsContainers() {
        String spec = "'initContainers':[{'name':'proxy','restartPolicy':'Always'}],'containers':[{'name':'c'}]";
        String proxy = "{'name':'proxy','started':true,'ready':true,'restartCount':2,'state':{'running':{}}}";
        assertThat(summary(
                        spec,
                        "'phase':'Running','initContainerStatuses':[" + proxy + "],'containerStatuses':[" + RUNNING
                                + "]"))
                .isEqualTo("2/2 Running 2");
    }

    @Test
    void aDeletedPodIsTerminatingUntilItHasEnded() {
        String deleted = "'metadata':{'deletionTimestamp':'2026-01-10T11:59:00Z'},'status':{'phase':'%s'%s}";
        assertThat(summary(Objects.object(deleted.formatted("Running", "")))).isEqualTo("0/0 Terminating 0");
        assertThat(summary(Objects.object(deleted.formatted("Succeeded", "")))).isEqualTo("0/0 Succeeded 0");
        assertThat(summary(Objects.object(deleted.formatted("Running", ",'reason':'NodeLost'"))))
                .isEqualTo("0/0 Unknown 0");
    }

    @Test
    void wideColumnsSayWhereThePodIs() {
        assertThat(Objects.show("", "pods", Objects.object("'spec':{},'status':{}")))
                .isEqualTo("x|0/0||0|5m|<none>|<none>|<none>|<none>");
        String spec = "'spec':{'nodeName':'n1','readinessGates':[{'conditionType':'a'},{'conditionType':'b'}]}";
        String status = "'status':{'podIPs':[{'ip':'10.0.0.1'}],'conditions':[{'type':'b','status':'True'}]}";
        assertThat(Objects.show("", "pods", Objects.object(spec + "," + status)))
                .isEqualTo("x|0/0||0|5m|10.0.0.1|n1|<none>|1/2");
    }

    @Test
    void onlyEndedPodsAreCompleted() {
        TableDefinition pods = Tables.of(new GroupResource("", "pods"));
        assertThat(pods.completion(Objects.object("'status':{'phase':'Running'}")))
                .isEmpty();
        assertThat(pods.completion(Objects.object("'status':{'phase':'Failed'}")))
                .get()
                .extracting(TableDefinition.Completion::reason)
                .isEqualTo("Failed");
    }
}
