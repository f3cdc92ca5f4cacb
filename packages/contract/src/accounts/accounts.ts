import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'
import { Role } from './roles.ts'

/** Compared case-insensitively. The part before the @ is not checked further. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u, 'is not an email address')

export const Password = z.string().min(10, 'has at least 10 characters').max(1000, 'has at most 1000 characters')

/** Name of a person or an object: one line. */
export const DisplayName = repairedText(200)
  .trim()
  .min(1, 'is empty')
  .regex(/^[^\p{Cc}]*$/u, 'holds control characters')

/**
 * The caller of a request: a signed-in person, a key, or an anonymous program of the same machine on an open server.
 */
export const Me = z.object({
  kind: z.enum(['person', 'key', 'local']),
  /** Id of the person or of the key. */
  id: z.string().nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  /** Role in the workspace of the request. */
  role: Role,
  /** Whether the caller may perform tasks of the whole server, such as backups of all workspaces. */
  is_server_admin: z.boolean(),
  tenant_id: z.string(),
})
export type Me = z.infer<typeof Me>

/** Authentication state of the server, for callers that have not signed in. */
export const AuthState = z.object({
  /** Bound to loopback, without accounts and keys: programs of this machine need no credential. */
  is_open: z.boolean(),
  /** There are neither accounts nor keys yet. */
  can_set_up: z.boolean(),
  /** Set-up requires the code that the server printed at start, because other machines can reach the server. */
  needs_setup_code: z.boolean(),
  has_people: z.boolean(),
})
export type AuthState = z.infer<typeof AuthState>

/** A sign-in that has not ended. */
export const SignIn = z.object({
  id: z.string(),
  /** The `User-Agent` header of the browser. */
  user_agent: z.string().nullable(),
  created_at: z.string(),
  last_used_at: z.string(),
  expires_at: z.string(),
  /** Whether this request used it. */
  is_current: z.boolean(),
})
export type SignIn = z.infer<typeof SignIn>

export const SetUp = z.object({
  email: Email,
  password: Password,
  /** @default the local part of the email address */
  name: DisplayName.nullish(),
  workspace_name: DisplayName,
  project_name: repairedText(1000).trim().min(1, 'is empty'),
  code: z.string().max(1000).nullish(),
})
export type SetUp = z.output<typeof SetUp>

export const SetUpDone = z.object({
  me: Me,
  project_id: z.string(),
  /** A key for programs with the role `member`; returned only once. */
  key: z.string(),
})

export const Credentials = z.object({ email: Email, password: z.string().max(1000) })

export const PasswordChange = z.object({ current_password: z.string().max(1000), new_password: Password })

const tag = 'accounts'
const extension = true

export const accountRoutes = describeRoutes(routes.accounts, tag, {
  state: {
    extension,
    summary: 'Whether the server is open, set up, or waits to be',
    answer: AuthState,
  },
  setUp: {
    extension,
    maxBodyBytes: BODY_LIMITS.credentials,
    summary:
      'Make the first account, an admin and the first server administrator, and sign it in; 403 once there are people or keys',
    body: SetUp,
    answer: SetUpDone,
  },
  signIn: {
    extension,
    maxBodyBytes: BODY_LIMITS.credentials,
    summary: 'Sign in by a cookie that holds 30 days; 401 without saying what was wrong, 429 after too many mistakes',
    body: Credentials,
    answer: Me,
  },
  signOut: {
    extension,
    maxBodyBytes: BODY_LIMITS.credentials,
    summary: 'End the sign-in that the cookie stands for, if any',
  },
  me: { extension, summary: 'Whom the request speaks for', answer: Me },
  update: {
    extension,
    maxBodyBytes: BODY_LIMITS.credentials,
    summary: 'Change one’s own name; for people',
    body: z.object({ name: DisplayName }),
    answer: Me,
  },
  changePassword: {
    extension,
    maxBodyBytes: BODY_LIMITS.credentials,
    summary: 'Change one’s own password, which ends all other sign-ins; for people',
    body: PasswordChange,
  },
  listSignIns: {
    extension,
    summary: 'Where one is signed in, last used first; for people',
    answer: z.array(SignIn),
  },
  endSignIn: {
    extension,
    summary: 'End one of one’s own sign-ins; for people',
    params: z.object({ id: Uuid }),
  },
  leave: {
    extension,
    summary:
      'Leave the workspace of the request, which ends one’s keys and invites there, and the account when it was the last; 400 for the last admin; for people',
  },
})
