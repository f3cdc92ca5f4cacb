import type { Migration } from '../migrate.ts'

/** Agents under the ids that their programs send, and the project of each environment. */
export const agents: Migration = {
  version: 25,
  name: 'agents',
  sql: `
    create table agents (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id) on delete cascade,
      agent_id text not null, -- as the address names it
      name text not null,
      agent_type text not null, -- CUSTOM or CODING
      source_type text not null, -- LSD, MDA, EXTERNAL or FLEET
      owner_id text,
      created_at timestamptz not null,
      unique (tenant_id, agent_id)
    );
    create table agent_environments (
      id uuid primary key,
      agent_uuid uuid not null references agents (id) on delete cascade,
      environment text not null, -- LOCAL, DEVELOPMENT, STAGING or PRODUCTION
      session_id uuid references projects (id) on delete set null, -- null once the project was deleted
      unique (agent_uuid, environment)
    );
    create index agent_environments_of_project on agent_environments (session_id);
  `,
}
