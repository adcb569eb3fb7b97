-- Two indexes of events begin with the session; every commit of a hook wrote both.
-- An event is written with one page less; what asks for the events of a session finds them by its turns.

DROP INDEX events_of_session;
