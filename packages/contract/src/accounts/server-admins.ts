import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { Email } from './accounts.ts'

/** A person who administers the server: the one who set it up, and whom server administrators appoint. */
export const ServerAdmin = z.object({
  /** Of the person. */
  id: z.string(),
  email: z.string(),
  name: z.string(),
})
export type ServerAdmin = z.infer<typeof ServerAdmin>

const extension = true

export const serverAdminRoutes = describeRoutes(routes.serverAdmins, 'server admins', {
  list: {
    extension,
    summary: 'People who administer the server, by name',
    answer: z.array(ServerAdmin),
  },
  appoint: {
    extension,
    maxBodyBytes: BODY_LIMITS.credentials,
    summary: 'Make the person with this address a server administrator, at once; 404 for an address without an account',
    body: z.object({ email: Email }),
    answer: ServerAdmin,
  },
  remove: {
    extension,
    summary: 'End that a person is a server administrator, at once; 400 for the last one',
    params: z.object({ id: Uuid }),
  },
})
