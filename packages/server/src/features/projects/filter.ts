import { PROJECT_FILTERS, parseFilter } from '@touchstone/contract'
import { type SQL, sql } from 'drizzle-orm'
import { filterToSql } from '../../storage/relational/filter.ts'
import { projects } from '../../storage/relational/tables/projects.ts'

const COLUMNS = {
  fields: {
    id: sql`${projects.id}::text`,
    name: sql`${projects.name}`,
    description: sql`${projects.description}`,
    start_time: sql`${projects.start_time}`,
    end_time: sql`${projects.end_time}`,
    reference_dataset_id: sql`${projects.reference_dataset_id}::text`,
  },
  metadata: sql`${projects.metadata}`,
}

/**
 * The condition of a filter in the filter language.
 *
 * @returns undefined for a blank text
 * @throws FilterError
 */
export function filterCondition(text: string | undefined): SQL | undefined {
  const filter = parseFilter(text ?? '', PROJECT_FILTERS)
  return filter && filterToSql(filter, COLUMNS)
}
