// A Kubernetes cluster: pods killed by their probe, a rule about production, a new node by Ansible. Closing messages as log lines.
import { playDay } from './day.ts';
import { bash, bashFails, edit, end, prompt, read, stop } from './steps.ts';

export const helmCluster = playDay({
  name: 'helm-cluster',
  root: '/srv/git/platform',
  startsAt: '2026-06-29T05:55:00Z',
  sessions: [
    [
      prompt('api pods crashloop in staging since chart 4.2.0. fix'),
      bash(
        'kubectl -n staging get pods -l app=api',
        'Pods',
        'NAME                   READY   STATUS             RESTARTS      AGE\napi-6c9f7d9b4d-2xk8p   0/1     CrashLoopBackOff   11 (2m ago)   41m\napi-6c9f7d9b4d-wq7lr   0/1     Running            12 (31s ago)  41m',
      ),
      bash(
        'kubectl -n staging describe pod api-6c9f7d9b4d-2xk8p | sed -n "/Last State/,/Restart/p"',
        'Last state',
        '    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    137\n      Restart Count:  11',
      ),
      read(
        'charts/api/values-staging.yaml',
        `
        resources:
          limits:
            memory: 512Mi
        livenessProbe:
          httpGet: { path: /healthz, port: 8080 }
          periodSeconds: 10
          failureThreshold: 3`,
      ),
      edit('charts/api/values-staging.yaml', 'memory: 512Mi', 'memory: 1Gi'),
      bashFails(
        'helm upgrade api charts/api -n staging -f charts/api/values-staging.yaml --wait --timeout 3m',
        'Upgrade',
        'Error: UPGRADE FAILED: context deadline exceeded',
      ),
      bash(
        'kubectl -n staging top pod -l app=api; kubectl -n staging get events --field-selector reason=Unhealthy | tail -2',
        'Memory and events',
        'NAME                   CPU(cores)   MEMORY(bytes)\napi-7d5b8c6f9-kk2vz    980m         231Mi\n34s   Warning   Unhealthy   pod/api-7d5b8c6f9-kk2vz   Liveness probe failed: Get "http://10.42.1.77:8080/healthz": connection refused',
      ),
      bash('helm rollback api -n staging', 'Roll back', 'Rollback was a success! Happy Helming!'),
      edit('charts/api/values-staging.yaml', 'memory: 1Gi', 'memory: 512Mi'),
      bash(
        'kubectl -n staging logs api-6c9f7d9b4d-wq7lr --previous | tail -3',
        'Log of the killed container',
        'INFO  warming caches 1/4\nINFO  warming caches 2/4 (38s)\nINFO  received SIGTERM, shutting down',
      ),
      edit(
        'charts/api/values-staging.yaml',
        'livenessProbe:\n',
        'startupProbe:\n  httpGet: { path: /healthz, port: 8080 }\n  periodSeconds: 5\n  failureThreshold: 30\nlivenessProbe:\n',
      ),
      bash(
        'helm upgrade api charts/api -n staging -f charts/api/values-staging.yaml --wait --timeout 5m && kubectl -n staging rollout status deploy/api',
        'Upgrade',
        'Release "api" has been upgraded. Happy Helming!\nSTATUS: deployed\nREVISION: 58\ndeployment "api" successfully rolled out',
      ),
      stop(`
        06:01 exit code 137 looked like memory. Raised the limit to 1Gi: no change, the pod sits at 231Mi. Rolled back, wrong track.
        06:09 events say liveness probe. 4.2.0 warms its caches for about 60 s before it listens, the probe kills it after 30 s.
        06:14 added a startupProbe (up to 150 s), liveness untouched. Revision 58 rolled out, 2/2 ready.`),
      prompt('good, same for prod. but prod goes through argo only, nobody runs helm by hand there. open a PR'),
      bash('git switch -c api-startup-probe', 'Branch', '', "Switched to a new branch 'api-startup-probe'"),
      read('charts/api/values-prod.yaml', 'replicas: 6\nlivenessProbe:\n  httpGet: { path: /healthz, port: 8080 }\n'),
      edit(
        'charts/api/values-prod.yaml',
        'livenessProbe:\n',
        'startupProbe:\n  httpGet: { path: /healthz, port: 8080 }\n  periodSeconds: 5\n  failureThreshold: 30\nlivenessProbe:\n',
      ),
      bash('helm lint charts/api -f charts/api/values-prod.yaml', 'Lint', '1 chart(s) linted, 0 chart(s) failed'),
      bash(
        'git commit -qam "api: startup probe for slow cache warmup" && git push -qu origin HEAD && gh pr create --fill',
        'Commit and open a PR',
        'https://github.com/acme/platform/pull/318',
      ),
      stop('PR #318 is up, values-prod only. After the merge api-prod has to be synced in Argo, auto-sync is off there.'),
      end('other'),
    ],
    [
      prompt('node-07 playbook dies, see yourself'),
      bashFails(
        'ansible-playbook -i hosts.ini node.yml --limit node-07',
        'Run the playbook',
        `
        TASK [base : install packages] *************************************************
        fatal: [node-07]: FAILED! => {"changed": false, "msg": "Failed to lock apt for exclusive operation: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1188 (unattended-upgr)"}

        PLAY RECAP *********************************************************************
        node-07                    : ok=6    changed=2    unreachable=0    failed=1    skipped=3`,
        2,
      ),
      read('roles/base/tasks/main.yml', '- name: install packages\n  apt:\n    name: "{{ base_packages }}"\n    update_cache: true\n'),
      edit('roles/base/tasks/main.yml', '    update_cache: true\n', '    update_cache: true\n    lock_timeout: 600\n'),
      bashFails(
        'ansible-playbook -i hosts.ini node.yml --limit node-07',
        'Run it again',
        `
        TASK [base : install packages] *************************************************
        changed: [node-07]
        TASK [kube : join the cluster] *************************************************
        fatal: [node-07]: FAILED! => {"changed": true, "cmd": ["kubeadm", "join"], "rc": 1, "stderr": "error execution phase preflight: couldn't validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID \\"k3x9f1\\""}

        PLAY RECAP *********************************************************************
        node-07                    : ok=19   changed=9    unreachable=0    failed=1    skipped=3`,
        2,
      ),
      bash('ssh cp-01 kubeadm token list', 'Tokens', 'TOKEN   TTL   EXPIRES   USAGES   DESCRIPTION'),
      read(
        'roles/kube/tasks/main.yml',
        '- import_tasks: packages.yml\n\n- name: join the cluster\n  command: kubeadm join {{ api_endpoint }} --token {{ join_token }}',
      ),
      edit(
        'roles/kube/tasks/main.yml',
        '- name: join the cluster\n  command: kubeadm join {{ api_endpoint }} --token {{ join_token }}',
        '- name: fresh join command\n  command: kubeadm token create --ttl 15m --print-join-command\n  delegate_to: cp-01\n  register: join\n\n- name: join the cluster\n  command: "{{ join.stdout }}"',
      ),
      bash(
        'ssh node-07 apt-cache madison kubelet | head -2; ssh cp-01 kubelet --version',
        'Versions',
        'kubelet | 1.30.2-1.1 | https://pkgs.k8s.io\nkubelet | 1.29.6-1.1 | https://pkgs.k8s.io\nKubernetes v1.29.6',
      ),
      edit('roles/kube/defaults/main.yml', 'kubelet_version: latest', 'kubelet_version: 1.29.6-1.1'),
      bash(
        'ansible-playbook -i hosts.ini node.yml --limit node-07 && kubectl get node node-07',
        'Run and look',
        'PLAY RECAP *********************************************************************\nnode-07                    : ok=34   changed=11   unreachable=0    failed=0    skipped=3\n\nNAME      STATUS                     ROLES    AGE   VERSION\nnode-07   Ready,SchedulingDisabled   <none>   48s   v1.29.6',
      ),
      stop(`
        node-07 is Ready.
        * apt lock: unattended-upgrades holds it after the first boot; the apt task now waits up to 600 s (lock_timeout)
        * kubeadm join: join_token in the inventory had expired; the role creates a fresh one on cp-01 each time
        * kubelet pinned to 1.29.6, not the 1.30.2 that "latest" would take: a kubelet must not be newer than the control plane
        * still cordoned. Uncordon it once the storage team has attached the disks.`),
      prompt('and headroom over all nodes? just numbers'),
      bash(
        'kubectl top nodes',
        'Usage',
        'NAME      CPU(cores)   CPU%   MEMORY(bytes)   MEMORY%\nnode-04   3120m        39%    21004Mi         66%\nnode-05   2890m        36%    19771Mi         62%\nnode-06   3304m        41%    22350Mi         70%\nnode-07   110m         1%     902Mi           2%',
      ),
      stop('CPU 29% used, memory 50% used over the four nodes.'),
      end('other'),
    ],
  ],
  truths: {
    decisions: [
      { what: 'the user: prod only through Argo, no helm by hand', mustMention: ['argo', 'prod', 'helm|hand|only'] },
      { what: 'kubelet pinned to 1.29.6, not 1.30', mustMention: ['kubelet', '1.29.6|1.30|pin'] },
    ],
    fixes: [
      {
        what: 'crashloop: liveness probe kills the slow start, startupProbe',
        mustMention: ['probe', 'startupProbe|startup probe|startup', 'crash|kill|warm|api'],
      },
      { what: 'apt lock at first boot: lock_timeout', mustMention: ['apt|dpkg', 'lock', 'wait|timeout|lock_timeout'] },
      {
        what: 'expired join token: a fresh one each time',
        mustMention: ['token|kubeadm', 'join', 'expire|fresh|create'],
      },
    ],
    deadEnds: [{ what: 'memory limit of 1Gi changed nothing', mustMention: ['memory|1Gi', 'limit|1Gi|137|no change|231Mi'] }],
    nextSteps: [
      { what: 'sync api-prod in Argo after the merge', mustMention: ['argo|sync|merge|318'], after: [1, 2] },
      { what: 'uncordon node-07', mustMention: ['uncordon|cordon|storage|disks'], after: [2, 1] },
    ],
    others: [],
    acceptable: [
      { what: 'startup probe for prod, the PR', mustMention: ['318|values-prod|startup probe|startupProbe|PR$'] },
      { what: 'node-07 joined', mustMention: ['node-07'], types: ['feature', 'change', 'discovery'] },
      { what: 'headroom in numbers', mustMention: ['29%|50%|headroom|cpu'], types: ['discovery'] },
      { what: 'why 4.2.0 starts slowly', mustMention: ['warm|caches'], types: ['discovery'] },
      { what: 'auto-sync is off for api-prod', mustMention: ['auto-sync'] },
      { what: 'pinned kubelet as a change', mustMention: ['kubelet'], types: ['change', 'bugfix'] },
      { what: 'the commit', mustMention: ['commit'] },
    ],
  },
});
