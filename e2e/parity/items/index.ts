import type { Chapter } from '../item.ts'
import { calls } from './calls.ts'
import { callsByPeople } from './calls-by-people.ts'
import { constants } from './constants.ts'
import { entities } from './entities.ts'
import { errors } from './errors.ts'
import { links } from './links.ts'
import { roles } from './roles.ts'
import { states } from './states.ts'
import { validation } from './validation.ts'

/** The specification of the client, item by item, in its own order. Screens (§1) it has none. */
export const chapters: readonly Chapter[] = [
  links,
  entities,
  states,
  validation,
  roles,
  ...calls,
  ...callsByPeople,
  errors,
  constants,
]
