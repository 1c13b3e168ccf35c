\set id random(1, :rows)
UPDATE items SET starred = NOT starred WHERE id = :id;
