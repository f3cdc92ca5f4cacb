import type { Migration } from '../migrate.ts'

/** The prompt hub: repos, their commits with movable names, likes and comments. */
export const prompts: Migration = {
  version: 11,
  name: 'prompts',
  sql: `
    create table prompt_repos (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      repo_handle text collate "C" not null,
      repo_type text not null, -- prompt, file, agent or skill, all in one name space
      description text,
      readme text,
      tags text[] not null,
      is_public boolean not null,
      is_archived boolean not null default false,
      restricted_mode boolean not null default false,
      source text,
      created_by text, -- name of a key
      created_at timestamptz not null,
      updated_at timestamptz not null,
      num_likes integer not null default 0,
      num_downloads bigint not null default 0,
      num_views bigint not null default 0,
      num_commits integer not null default 0,
      last_commit_id uuid,
      last_commit_hash text,
      original_repo_id uuid, -- where the chain of forks begins, which may be gone; its name is kept, as is the next
      original_repo_full_name text,
      upstream_repo_id uuid,
      upstream_repo_full_name text,
      owned_by_repo_id uuid references prompt_repos (id) on delete cascade, -- of a file
      constraint prompt_repos_name_is_taken unique (tenant_id, repo_handle)
    );
    create index prompt_repos_recent on prompt_repos (tenant_id, updated_at desc, id);
    create index prompt_repos_public on prompt_repos (updated_at desc, id) where is_public;
    create index prompt_repos_of_upstream on prompt_repos (upstream_repo_id) where upstream_repo_id is not null;
    create index prompt_repos_of_owner on prompt_repos (owned_by_repo_id) where owned_by_repo_id is not null;

    create table prompt_commits (
      id uuid primary key,
      tenant_id uuid not null,
      repo_id uuid not null references prompt_repos (id) on delete cascade,
      number integer not null, -- in the order of the history, from 1
      commit_hash text collate "C" not null, -- found by its beginning, hence the collation
      parent_id uuid,
      parent_commit_hash text,
      manifest text not null, -- JSON as it came
      content_hash text not null, -- what is compared to see whether a manifest says anything new
      description text,
      example_run_ids uuid[] not null,
      full_name text, -- of the author's key
      created_at timestamptz not null,
      num_downloads bigint not null default 0,
      num_views bigint not null default 0,
      constraint prompt_commits_in_order unique (repo_id, number),
      constraint prompt_commits_by_hash unique (repo_id, commit_hash)
    );
    alter table prompt_commits alter column manifest set statistics 0;

    create table prompt_commit_tags (
      id uuid primary key,
      tenant_id uuid not null,
      repo_id uuid not null references prompt_repos (id) on delete cascade,
      tag_name text collate "C" not null,
      commit_id uuid not null references prompt_commits (id) on delete cascade,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      constraint prompt_commit_tags_by_name unique (repo_id, tag_name)
    );
    create index prompt_commit_tags_of_commit on prompt_commit_tags (commit_id);

    create table prompt_tag_moves ( -- who moved what when; outlives the tag
      id uuid primary key,
      number bigint generated always as identity, -- two moves may share an instant
      tenant_id uuid not null,
      repo_id uuid not null references prompt_repos (id) on delete cascade,
      tag_name text collate "C" not null,
      from_commit_id uuid,
      from_commit_hash text,
      to_commit_id uuid,
      to_commit_hash text,
      performed_by uuid, -- a key
      performed_by_name text,
      created_at timestamptz not null
    );
    create index prompt_tag_moves_of_tag on prompt_tag_moves (repo_id, tag_name, number desc);

    create table prompt_likes (
      repo_id uuid not null references prompt_repos (id) on delete cascade,
      tenant_id uuid not null, -- who likes it: keys speak for their workspace
      primary key (repo_id, tenant_id)
    );

    create table prompt_comments (
      id uuid primary key,
      repo_id uuid not null references prompt_repos (id) on delete cascade,
      parent_id uuid references prompt_comments (id) on delete cascade,
      tenant_id uuid not null, -- who said it
      content text not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    );
    create index prompt_comments_of_repo on prompt_comments (repo_id, created_at desc, id);
    create index prompt_comments_of_parent on prompt_comments (parent_id) where parent_id is not null;

    create table prompt_comment_likes (
      comment_id uuid not null references prompt_comments (id) on delete cascade,
      tenant_id uuid not null,
      primary key (comment_id, tenant_id)
    );
  `,
}
