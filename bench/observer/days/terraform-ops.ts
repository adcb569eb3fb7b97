// Operations: an image that would not start, its size, a cycle in Terraform, a question about the state.
import { playDay } from './day.ts';
import { bash, bashFails, edit, end, prompt, read, stop, write } from './steps.ts';
import { ask } from './talk.ts';

export const terraformOps = playDay({
  name: 'terraform-ops',
  root: '/home/dev/geo-infra',
  startsAt: '2026-06-11T06:47:00Z',
  sessions: [
    [
      prompt(
        'since Marek (windows) touched the entrypoint the container does not start any more: exec /app/entrypoint.sh: no such file or directory. the file IS there',
      ),
      bash(
        'docker build -q -t geo . && docker run --rm geo ls -l /app/entrypoint.sh',
        'Build and look',
        'sha256:1b0c2f\n-rwxr-xr-x 1 root root 212 Jun 11 06:40 /app/entrypoint.sh',
      ),
      bashFails('docker run --rm geo', 'Start it', 'exec /app/entrypoint.sh: no such file or directory', 255),
      bash(
        'file entrypoint.sh && head -c 20 entrypoint.sh | xxd',
        'Look at the bytes',
        'entrypoint.sh: Bourne-Again shell script, ASCII text executable, with CRLF line terminators\n00000000: 2321 2f62 696e 2f62 6173 680d 0a73 6574  #!/bin/bash..set',
      ),
      bash("sed -i 's/\\r$//' entrypoint.sh", 'Convert line endings'),
      write('.gitattributes', '*.sh text eol=lf'),
      bash(
        'docker build -q -t geo . && docker run --rm -d --name geo geo && sleep 2 && curl -s localhost:8000/health',
        'Build, start, ask',
        'sha256:77aa10\n4c0e9b1d2f\n{"status":"ok"}',
      ),
      stop(
        'CRLF line endings: the kernel looked for an interpreter called `/bin/bash\\r`. Converted entrypoint.sh to LF and added a .gitattributes (`*.sh text eol=lf`) so it cannot come back. Container starts, /health answers.',
      ),
      prompt('while you are at it, the image is 1.2 GB. can we get it well under 300 MB?'),
      bash(
        'docker images geo',
        'Show size',
        'REPOSITORY   TAG       IMAGE ID       CREATED         SIZE\ngeo          latest    77aa10b3c4d5   2 minutes ago   1.21GB',
      ),
      read(
        'Dockerfile',
        `
        FROM python:3.12
        WORKDIR /app
        COPY requirements.txt .
        RUN pip install -r requirements.txt
        COPY . .
        ENTRYPOINT ["/app/entrypoint.sh"]`,
      ),
      edit('Dockerfile', 'FROM python:3.12\n', 'FROM python:3.12-alpine\n'),
      bashFails(
        'docker build -t geo . && docker run --rm geo python -c "import geocore"',
        'Build and import',
        `
        #9 [4/5] RUN pip install -r requirements.txt
        #9 DONE 31.4s
        #11 naming to docker.io/library/geo done
        Traceback (most recent call last):
          File "<string>", line 1, in <module>
        ImportError: Error loading shared library ld-linux-x86-64.so.2: No such file or directory (needed by /usr/local/lib/python3.12/site-packages/geocore/_native.so)`,
      ),
      bash('apk info 2>/dev/null; grep geocore requirements.txt', 'Where geocore comes from', 'geocore==4.2.0  # vendor wheel, glibc only'),
      write(
        'Dockerfile',
        `
        FROM python:3.12 AS build
        COPY requirements.txt .
        RUN pip install --prefix=/install -r requirements.txt

        FROM python:3.12-slim
        WORKDIR /app
        COPY --from=build /install /usr/local
        COPY . .
        ENTRYPOINT ["/app/entrypoint.sh"]`,
      ),
      bash(
        'docker build -q -t geo . && docker run --rm geo python -c "import geocore" && docker images geo',
        'Build, import, size',
        'sha256:90fe12\nREPOSITORY   TAG       IMAGE ID       CREATED          SIZE\ngeo          latest    90fe12ab77c1   12 seconds ago   214MB',
      ),
      bash('git add -A && git commit -q -m "Multi-stage image on slim, LF for shell scripts"', 'Commit'),
      stop(`
        Done: **1.21 GB → 214 MB** with a multi-stage build on \`python:3.12-slim\`.

        Alpine would be smaller still but is not possible: geocore is a vendor wheel built for glibc, and on musl it fails with
        "Error loading shared library ld-linux-x86-64.so.2". Going with slim instead of alpine for that reason.`),
      end(),
    ],
    [
      prompt(
        'terraform plan is broken after I let the db talk back to the app. and tell me what you need to know to move the state off my laptop',
      ),
      bashFails(
        'terraform plan',
        'Plan',
        `
        ╷
        │ Error: Cycle: aws_security_group.app, aws_security_group.db
        │
        ╵`,
      ),
      read(
        'network.tf',
        `
        resource "aws_security_group" "app" {
          egress {
            from_port       = 5432
            to_port         = 5432
            protocol        = "tcp"
            security_groups = [aws_security_group.db.id]
          }
        }

        resource "aws_security_group" "db" {
          egress {
            from_port       = 8000
            to_port         = 8000
            protocol        = "tcp"
            security_groups = [aws_security_group.app.id]
          }
        }`,
      ),
      edit(
        'network.tf',
        '  egress {\n    from_port       = 8000\n    to_port         = 8000\n    protocol        = "tcp"\n    security_groups = [aws_security_group.app.id]\n  }\n}',
        '}\n\nresource "aws_security_group_rule" "db_to_app" {\n  type                     = "egress"\n  from_port                = 8000\n  to_port                  = 8000\n  protocol                 = "tcp"\n  security_group_id        = aws_security_group.db.id\n  source_security_group_id = aws_security_group.app.id\n}',
      ),
      bash('terraform fmt -check && terraform validate', 'Format and validate', 'Success! The configuration is valid.'),
      bash(
        'terraform plan -no-color | tail -4',
        'Plan',
        "\nPlan: 3 to add, 1 to change, 0 to destroy.\n\nNote: You didn't use the -out option to save this plan.",
      ),
      ask(
        'Which backend should hold the Terraform state?',
        [
          {
            label: 'S3 with native lockfile',
            description: 'use_lockfile = true, needs Terraform 1.10+, no extra table',
          },
          { label: 'S3 with DynamoDB lock', description: 'The classic, a table to maintain' },
          { label: 'HCP Terraform', description: 'Hosted, costs per resource' },
        ],
        'S3 with native lockfile',
      ),
      bash('terraform version', 'Version', 'Terraform v1.11.2\non linux_amd64'),
      write(
        'backend.tf',
        'terraform {\n  backend "s3" {\n    bucket       = "geo-tfstate"\n    key          = "prod/terraform.tfstate"\n    region       = "eu-central-1"\n    use_lockfile = true\n  }\n}',
      ),
      stop(`
        The plan works again. The two security groups referred to each other inline, which Terraform cannot order; the way back from db to app is now its own \`aws_security_group_rule\`.

        backend.tf describes the S3 backend with \`use_lockfile\`.

        You still have to do, I did not touch anything live:
          - create the bucket geo-tfstate, then \`terraform init -migrate-state\`
          - \`terraform apply\` (3 to add, 1 to change, 0 to destroy)`),
      end(),
    ],
  ],
  truths: {
    decisions: [
      { what: 'slim, not alpine, because geocore needs glibc', mustMention: ['slim', 'alpine'] },
      { what: 'the user chose S3 with the native lockfile for the state', mustMention: ['s3', 'lockfile'] },
    ],
    fixes: [
      { what: 'entrypoint had CRLF line endings', mustMention: ['entrypoint', 'crlf|line ending|.gitattributes'] },
      {
        what: 'cycle of two security groups: a rule of its own',
        mustMention: ['cycle|security group|security_group', 'aws_security_group_rule|own$|separate'],
      },
    ],
    deadEnds: [{ what: 'alpine: vendor wheel is glibc only', mustMention: ['alpine', 'musl|glibc|ld-linux|shared library'] }],
    nextSteps: [
      { what: 'create the bucket and migrate the state', mustMention: ['migrate-state|bucket'], after: [2, 1] },
      { what: 'terraform apply is not run', mustMention: ['apply'], after: [2, 1] },
    ],
    others: [
      {
        what: 'image 1.21 GB to 214 MB by a multi-stage build',
        mustMention: ['214|multi-stage|multistage'],
        types: ['feature', 'refactor', 'change'],
      },
    ],
    acceptable: [{ what: 'backend.tf written', mustMention: ['backend.tf|use_lockfile'], types: ['feature', 'change'] }],
  },
});
