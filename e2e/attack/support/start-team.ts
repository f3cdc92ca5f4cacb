import type { Role } from '@touchstone/contract'
import { quickPasswords } from '../../support/quick-passwords.ts'
import { type StartedServer, type StartOptions, startServer } from '../../support/start-server.ts'
import { type RawAnswer, rawJson, rawRequest } from './raw-request.ts'

export type Headers = Readonly<Record<string, string>>

/** A person who signs in with a password. */
export interface Person {
  readonly email: string
  readonly password: string
  readonly role: Role
}

export interface Team {
  readonly server: StartedServer
  readonly url: string
  /** Headers with an API key of each role. */
  readonly keys: Readonly<Record<Role, Headers>>
  readonly people: Readonly<Record<Role, Person>>
  /** Headers of a new sign-in of the person with that role: a cookie, and the Origin of the server's own pages. */
  signIn(role: Role): Promise<Headers>
  /** Adds another person with that role and returns the headers of their sign-in. */
  addPerson(role: Role): Promise<Headers>
  /** Calls as the admin's key and fails on anything but a 2xx. */
  call<Answer = unknown>(method: string, path: string, body?: unknown): Promise<Answer>
}

/** Starts a server that is set up: an admin, a member and a viewer, each with a password and an API key. */
export async function startTeam(options: StartOptions = {}): Promise<Team> {
  const server = await startServer({ ...options, env: { ...quickPasswords, ...options.env } })
  const { url } = server
  const people = { viewer: aPerson('viewer'), member: aPerson('member'), admin: aPerson('admin') }
  const setUp = { ...people.admin, workspace_name: 'Attacked', project_name: 'first project' }
  const owner = cookieOf(url, await rawJson(url, 'POST', '/auth/setup', setUp, { origin: url }))
  const keys = {} as Record<Role, Headers>
  for (const role of ['viewer', 'member', 'admin'] as const) {
    keys[role] = { 'x-api-key': await createKey(url, owner, role) }
    if (role !== 'admin') await addMember(url, owner, people[role])
  }
  return {
    server,
    url,
    keys,
    people,
    signIn: (role) => signIn(url, people[role]),
    addPerson: (role) => addMember(url, owner, aPerson(role, crypto.randomUUID())),
    call: (method, path, body) => callJson(url, keys.admin, method, path, body),
  }
}

/** Signs in with a password and returns the headers that speak for the person. */
export async function signIn(url: string, { email, password }: Person, headers: Headers = {}): Promise<Headers> {
  return cookieOf(url, await rawJson(url, 'POST', '/auth/login', { email, password }, { origin: url, ...headers }))
}

/** Headers with the cookie that an answer sets. */
export function cookieOf(url: string, { status, headers, text }: RawAnswer): Headers {
  const [cookie] = headers['set-cookie'] ?? []
  if (cookie === undefined) throw new Error(`No cookie in the answer ${status}: ${text}`)
  return { cookie: cookie.split(';')[0]!, origin: url }
}

/** Calls with JSON and fails on anything but a 2xx. */
export async function callJson<Answer>(
  url: string,
  headers: Headers,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const answer = await (body === undefined
    ? rawRequest(url, { method, path, headers })
    : rawJson(url, method, path, body, headers))
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  return (/json/.test(answer.headers['content-type'] ?? '') ? JSON.parse(answer.text) : answer.text) as Answer
}

const aPerson = (role: Role, name: string = role): Person => ({
  email: `${name}@team.example`,
  password: `password of the ${role}`,
  role,
})

async function createKey(url: string, by: Headers, role: Role): Promise<string> {
  return (await callJson<{ key: string }>(url, by, 'POST', '/api-key', { role, description: `${role} key` })).key
}

async function addMember(url: string, by: Headers, { email, password, role }: Person): Promise<Headers> {
  const { token } = await callJson<{ token: string }>(url, by, 'POST', '/workspaces/current/invites', { role, email })
  return cookieOf(url, await rawJson(url, 'POST', `/auth/invites/${token}`, { email, password }, { origin: url }))
}
