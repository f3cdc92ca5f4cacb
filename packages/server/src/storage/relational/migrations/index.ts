import { foundation } from './0001-foundation.ts'
import { serverSecrets } from './0002-server-secrets.ts'
import { feedback } from './0003-feedback.ts'
import { runShares } from './0004-run-shares.ts'
import { datasets } from './0005-datasets.ts'
import { experiments } from './0006-experiments.ts'
import { datasetSharesAndWords } from './0007-dataset-shares-and-words.ts'
import { annotationQueues } from './0010-annotation-queues.ts'
import { prompts } from './0011-prompts.ts'
import { promptWebhooks } from './0012-prompt-webhooks.ts'
import { rolesAndEnvironments } from './0013-roles-and-environments.ts'
import { people } from './0014-people.ts'
import { savedViews } from './0015-saved-views.ts'
import { bulkJobs } from './0016-bulk-jobs.ts'
import { dashboards } from './0017-dashboards.ts'
import { retention } from './0018-retention.ts'
import { personalViews } from './0019-personal-views.ts'
import { runsInDatasets } from './0020-runs-in-datasets.ts'
import { deletions } from './0021-deletions.ts'
import { memberships } from './0022-memberships.ts'
import { serverSetup } from './0023-server-setup.ts'
import { agents } from './0025-agents.ts'
import { evaluators } from './0026-evaluators.ts'
import { threadShares } from './0027-thread-shares.ts'
import { serverAdmins } from './0028-server-admins.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  /** Statements separated by semicolons, run in one transaction with all other new migrations. */
  readonly sql: string
}

/** In order; a migration that was released is never rewritten. */
export const migrations: readonly Migration[] = [
  foundation,
  serverSecrets,
  feedback,
  runShares,
  datasets,
  experiments,
  datasetSharesAndWords,
  annotationQueues,
  prompts,
  promptWebhooks,
  rolesAndEnvironments,
  people,
  savedViews,
  bulkJobs,
  dashboards,
  retention,
  personalViews,
  runsInDatasets,
  deletions,
  memberships,
  serverSetup,
  agents,
  evaluators,
  threadShares,
  serverAdmins,
]
