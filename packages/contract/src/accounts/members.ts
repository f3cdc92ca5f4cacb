import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { QueryFlag } from '../wire/page.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { DisplayName, Email, Me, Password } from './accounts.ts'
import { Role } from './roles.ts'

/** A person who may come in. */
export const Member = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: Role,
  created_at: z.string(),
  /** To the minute; null before the first request. */
  last_seen_at: z.string().nullable(),
  /** Valid keys that belong to them: made by them, or with one of their keys. */
  key_count: z.int(),
  /** Invites that still work and were made by them, or with one of their keys. */
  invite_count: z.int(),
})
export type Member = z.infer<typeof Member>

/** A link that makes one person a member, once. It ends with the member or key that made it. */
export const Invite = z.object({
  id: z.string(),
  /** Never above the role that its maker has now. */
  role: Role,
  /** Only an account of this address can be made with it; null for any. */
  email: z.string().nullable(),
  created_by_name: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string(),
})
export type Invite = z.infer<typeof Invite>

/** The only answer that shows the token; the link is `{origin}/invite/{token}`. */
export const NewInvite = Invite.extend({ token: z.string() })
export type NewInvite = z.infer<typeof NewInvite>

export const InviteCreate = z.object({
  role: Role.default('member'),
  email: Email.nullish(),
  expires_in_days: z.int().min(1).max(30).default(7),
})
export type InviteCreate = z.output<typeof InviteCreate>

/** An invite as a person with its link sees it. */
export const InviteView = z.object({
  workspace_name: z.string(),
  role: Role,
  email: z.string().nullable(),
  expires_at: z.string(),
})
export type InviteView = z.infer<typeof InviteView>

export const InviteAccept = z.object({
  email: Email,
  /** Of the new account, or the one that the account of this address has. */
  password: Password,
  /** @default what stands before the @ */
  name: DisplayName.nullish(),
})
export type InviteAccept = z.output<typeof InviteAccept>

const tag = 'members'
const extension = true
const memberPath = z.object({ id: Uuid })
const token = z.object({ token: z.string().max(200) })

export const memberRoutes = describeRoutes(routes.members, tag, {
  list: {
    extension,
    summary: 'People of the workspace, by name',
    answer: z.array(Member),
  },
  changeRole: {
    extension,
    summary: 'Give a member another role, at once; 400 for the last admin',
    params: memberPath,
    body: z.object({ role: Role }),
    answer: Member,
  },
  remove: {
    extension,
    summary:
      'Remove a member at once, with their keys and invites, and the account when this was its last workspace; 400 for the last admin',
    params: memberPath,
    query: z.object({
      /** `false` keeps their keys without an owner, with at most the last role of the person. */
      revoke_keys: QueryFlag.default(true),
    }),
  },
  listInvites: {
    extension,
    summary: 'Invites that still work, newest first',
    answer: z.array(Invite),
  },
  invite: {
    extension,
    maxBodyBytes: BODY_LIMITS.credentials,
    summary: 'Make a link that lets one person in; the answer is the only place that shows its token',
    body: InviteCreate,
    answer: NewInvite,
  },
  revokeInvite: {
    extension,
    summary: 'End an invite before it is used',
    params: memberPath,
  },
  readInvite: {
    extension,
    summary: 'What an invite is for; one 404 for unknown, used, revoked and expired ones',
    params: token,
    answer: InviteView,
  },
  acceptInvite: {
    extension,
    maxBodyBytes: BODY_LIMITS.credentials,
    summary:
      'Make the account that an invite is for, or take the one with this address and password, and sign it in; the invite is used up',
    params: token,
    body: InviteAccept,
    answer: Me,
  },
  joinByInvite: {
    extension,
    tag: 'accounts',
    summary: 'Join the workspace of an invite with the account that is signed in; for people',
    params: token,
    answer: Me,
  },
})
