import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { SqlResult } from '../schemas.ts'
import { Calls } from './calls.ts'
import { findProject } from './projects.ts'

export interface QuerySqlParams {
  /** One SELECT over the tables `runs` and `feedback`; each use of `runs` needs a lower bound of `start_time`. */
  query: string
  /** The projects that it reads, by id or by name; at least one in all. */
  projectIds?: readonly string[] | undefined
  projectNames?: readonly string[] | undefined
}

export class SqlCalls extends Calls {
  /**
   * Runs a read-only SQL statement: at most 1,000 rows and 10 MB. An extension of ours; the public client has it as
   * `client.sql.query`.
   *
   * @throws BadRequestError when the statement is not allowed or takes too long
   */
  async querySql(
    { query, projectIds = [], projectNames = [] }: QuerySqlParams,
    options: CallOptions = {},
  ): Promise<SqlResult> {
    for (const [index, id] of projectIds.entries()) assertUuid(id, `projectIds[${index}]`)
    const named = projectNames.map((projectName) => findProject(this.transport, { projectName }, options))
    const project_ids = [...projectIds, ...(await Promise.all(named)).map(({ id }) => id)]
    if (project_ids.length === 0) throw new Error('At least one of projectNames or projectIds must be provided.')
    const body = { project_ids, query }
    const request = { body, doing: 'run the SQL statement' }
    return await this.transport.call(routes.sql.query, { ...request, ...options })
  }
}
